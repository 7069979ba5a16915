// aces under the default rules, every seat `always+lowest`: a straightforward twin of the kernel.
// Rule numbers are those of docs/rules/aces.md; "letter" is its section To the letter. The random
// streams are those of docs/randomness.md, so its counts must be those of the kernel.
//
//     c++ -std=c++17 -O3 -march=native -o aces aces.cpp
//     ./aces N SEED [PLAYERS [full|hand]]
//
// Plays the matches (with `hand`: single hands) 0 .. N-1; prints counts, and the seconds of
// playing.
#include "twin.hpp"

constexpr int JACK = 10, RANKS = 13, PLACES = 10, MAX_TURNS = 10000;
constexpr int MAX_SEATS = 6, MAX_CARDS = 3 * 52;

struct Cards {
    int n = 0;
    u8 card[MAX_CARDS];

    void add(int one) { card[n++] = u8(one); }
    int top() const { return card[n - 1]; }
};

static int lowest_bit(u32 mask) { return __builtin_ctz(mask); }

// What is counted of one match.
struct Match {
    int winner = -1, first_winner = -1;
    u64 turns = 0, hands = 0, cards = 0, taken = 0, wilds = 0, reshuffles = 0, first_turn_wins = 0;
    u64 won[MAX_SEATS] = {};
};

// A hand. Places are bits, bit j for place j + 1; cards are ranks, 0 for an ace.
struct Table {
    Stream words;
    int players;
    const int* places;
    u32 shown[MAX_SEATS] = {};   // places that show their own pip
    u32 filled[MAX_SEATS] = {};  // places that show a jack
    Cards unturned;              // not yet seen: face down, or in the first stock
    Cards recycled;              // a stock that was made of the discard pile
    Cards discards;
    int stock;

    // A1 to A3: all cards are shuffled and dealt; none is decided before it is turned.
    Table(u64 seed, u64 index, u32 hand, int players, const int* places, const Cards& deck)
        : words(seed, index, hand, 0, 0), players(players), places(places), unturned(deck) {
        stock = deck.n;
        for (int seat = 0; seat < players; ++seat) stock -= places[seat];
    }

    int turn(Cards& pool) {
        u32 j = words.below(u32(pool.n));
        int card = pool.card[j];
        pool.card[j] = pool.card[--pool.n];
        return card;
    }

    u32 face_down(int seat) const {
        return ((1u << places[seat]) - 1) & ~(shown[seat] | filled[seat]);
    }

    // A2, A6, letter 1. While a hand goes on there is a face-down place for a jack.
    bool can_place(int seat, int card) const {
        return card == JACK || (card < places[seat] && !(shown[seat] >> card & 1));
    }

    // A5a, A7
    int draw(Match& match) {
        if (stock == 0) {
            ++match.reshuffles;
            int top = discards.top();
            --discards.n;
            recycled = discards;
            stock = recycled.n;
            discards.n = 0;
            discards.add(top);
        }
        --stock;
        return turn(recycled.n ? recycled : unturned);
    }

    // A5: one turn. Returns whether it won the hand.
    bool play_turn(int seat, Match& match) {
        int card;
        if (discards.n && can_place(seat, discards.top())) {  // always: A5a
            card = discards.top();
            --discards.n;
            ++match.taken;
        } else {
            card = draw(match);
        }
        ++match.cards;
        while (can_place(seat, card)) {  // A5b
            bool frees_jack = false;
            if (card == JACK) {
                filled[seat] |= 1u << lowest_bit(face_down(seat));  // lowest
                ++match.wilds;
            } else {
                frees_jack = filled[seat] >> card & 1;
                filled[seat] &= ~(1u << card);
                shown[seat] |= 1u << card;
            }
            if (!face_down(seat)) return true;
            card = frees_jack ? JACK : turn(unturned);
            ++match.cards;
        }
        discards.add(card);
        return false;
    }

    // A4 to A6. Returns the winner, or -1 if the hand was capped.
    int play(int starter, Match& match) {
        int seat = starter;
        for (int turns = 1; turns <= MAX_TURNS; ++turns) {
            ++match.turns;
            if (play_turn(seat, match)) {
                match.first_turn_wins += turns == 1;
                return seat;
            }
            if (++seat == players) seat = 0;
        }
        return -1;
    }
};

// A1, A4, A8
static Match play_match(u64 seed, u64 index, int players, bool one_hand, const Cards& deck) {
    Match match;
    int places[MAX_SEATS], starter = 0;
    for (int seat = 0; seat < players; ++seat) places[seat] = PLACES;
    for (;;) {
        Table table(seed, index, u32(match.hands), players, places, deck);
        ++match.hands;
        int winner = table.play(starter, match);
        if (winner < 0) return match;
        ++match.won[winner];
        if (match.hands == 1) match.first_winner = winner;
        if (--places[winner] == 0 || one_hand) {
            match.winner = winner;
            return match;
        }
        starter = winner;
    }
}

int main(int argc, char** argv) {
    u64 n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
    u64 seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    int players = argc > 3 ? std::atoi(argv[3]) : 2;
    bool one_hand = argc > 4 && !std::strcmp(argv[4], "hand");
    if (argc < 3 || n == 0 || players < 2 || players > MAX_SEATS) {
        std::fprintf(stderr, "usage: aces N SEED [PLAYERS [full|hand]]\n");
        return 2;
    }
    Clock clock;
    Cards deck;
    int packs = (players + 1) / 2;  // A1
    for (int rank = 0; rank < RANKS; ++rank)
        for (int copy = 0; copy < 4 * packs; ++copy) deck.add(rank);
    u64 capped = 0, wins[MAX_SEATS] = {}, first_hand_score60 = 0;
    Length turns, hands;
    Match all;
    for (u64 index = 0; index < n; ++index) {
        Match match = play_match(seed, index, players, one_hand, deck);
        if (match.winner < 0) {
            ++capped;
            continue;
        }
        ++wins[match.winner];
        first_hand_score60 += match.winner == match.first_winner ? 60 : 0;
        turns.add(match.turns);
        hands.add(match.hands);
        all.cards += match.cards;
        all.taken += match.taken;
        all.wilds += match.wilds;
        all.reshuffles += match.reshuffles;
        all.first_turn_wins += match.first_turn_wins;
        for (int seat = 0; seat < players; ++seat) all.won[seat] += match.won[seat];
    }
    clock.stop();

    Json json;
    json.text("game", "aces");
    json.number("n", n);
    json.number("seed", seed);
    json.number("players", u64(players));
    json.text("match", one_hand ? "hand" : "full");
    json.open("counts");
    json.number("capped", capped);
    json.list("wins", wins, players);
    json.length("turns", turns);
    json.length("hands", hands);
    json.number("cards_handled", all.cards);
    json.number("discards_taken", all.taken);
    json.number("wilds_placed", all.wilds);
    json.number("reshuffles", all.reshuffles);
    json.number("first_turn_wins", all.first_turn_wins);
    json.list("hands_won", all.won, players);
    json.number("first_hand_score60", first_hand_score60);
    json.close();
    json.end(clock);
}
