// horner under the default rules, every seat `eager`: a straightforward twin of the kernel.
// Rule numbers are those of docs/rules/horner.md; "letter" is its section To the letter. The
// random streams are those of docs/randomness.md, so its counts must be those of the kernel.
//
//     c++ -std=c++17 -O3 -march=native -o horner horner.cpp
//     ./horner N SEED [PLAYERS [ROUNDS]]
//
// Plays the matches 0 .. N-1; prints counts, and the seconds of playing.
#include "twin.hpp"

constexpr int VARIETIES = 4, PLUMS = 7, CARDS = VARIETIES * PLUMS, MAX_SEATS = 6;
constexpr int PIE_POINTS = 2, OUT_POINTS = 3;

// A plum is 8 * variety + number - 1.
struct Seat {
    u8 draw[CARDS], discards[CARDS];  // draw: the next to be flipped first
    int flipped = 0, drawable = 0;    // cards gone from the front of draw; cards it was made with
    int discarded = 0;
    u32 reshuffles = 0;

    bool has_cards() const { return flipped < drawable || discarded > 0; }
};

// What is counted of one round, and of a whole match.
struct Tally {
    u64 turns = 0, rounds = 0, flips = 0, flips_placed = 0, from_discard = 0, reshuffles = 0;
    u64 starter_first_out = 0, first_flip_placed = 0;
    u64 points[MAX_SEATS] = {}, pies[MAX_SEATS] = {}, first_outs[MAX_SEATS] = {};
};

static int turn(u8* pool, int left, Stream& words) {
    u32 j = words.below(u32(left));
    int card = pool[j];
    pool[j] = pool[left - 1];
    return card;
}

class Round {
    const u64 seed, index;
    const u32 hand;
    const int players, starter;
    Seat seats[MAX_SEATS];
    int wanted[VARIETIES] = {};  // number, less one, that the pie of each variety wants next
    int placed = 0;

    // H2, letter 1
    void deal() {
        u8 pool[CARDS];
        for (int card = 0; card < CARDS; ++card) pool[card] = u8(card / PLUMS * 8 + card % PLUMS);
        Stream words(seed, index, hand, 0, 0);
        int seat = starter;
        for (int left = CARDS; left > 0; --left) {
            seats[seat].draw[seats[seat].drawable++] = u8(turn(pool, left, words));
            if (++seat == players) seat = 0;
        }
    }

    // H5b, letter 2
    void reshuffle(int seat) {
        Seat& own = seats[seat];
        Stream words(seed, index, hand, 0, 8 * own.reshuffles + 1 + u32(seat));
        ++own.reshuffles;
        for (int j = 0; j < own.discarded; ++j)
            own.draw[j] = u8(turn(own.discards, own.discarded - j, words));
        own.flipped = 0;
        own.drawable = own.discarded;
        own.discarded = 0;
    }

    // H4. There are as many pies as varieties, so a 1 always finds an empty one; which one it
    // takes makes no difference, since all are worth the same.
    bool can_place(int card) const { return (card & 7) == wanted[card >> 3]; }

    // H4, H6, H7. The card is in hand.
    void place(int seat, int card, Tally& tally) {
        ++placed;
        if (++wanted[card >> 3] == PLUMS) {
            ++tally.pies[seat];
            tally.points[seat] += PIE_POINTS;
        }
        if (first_out < 0 && !seats[seat].has_cards()) {
            first_out = seat;
            tally.points[seat] += OUT_POINTS;
        }
    }

    // H5: one turn. `eager` places its discard if it can, and flips.
    void play_turn(int seat, Tally& tally) {
        Seat& own = seats[seat];
        if (own.discarded && can_place(own.discards[own.discarded - 1])) {  // H5a
            ++tally.from_discard;
            place(seat, own.discards[--own.discarded], tally);
            if (!own.has_cards()) return;
        }
        if (own.flipped == own.drawable) {  // H5b
            ++tally.reshuffles;
            reshuffle(seat);
        }
        int card = own.draw[own.flipped++];
        ++tally.flips;
        if (can_place(card)) {
            ++tally.flips_placed;
            tally.first_flip_placed += tally.flips == 1;
            place(seat, card, tally);
        } else {
            own.discards[own.discarded++] = u8(card);
        }
    }

  public:
    int first_out = -1;

    Round(u64 seed, u64 index, u32 hand, int players, int starter)
        : seed(seed), index(index), hand(hand), players(players), starter(starter) {}

    // H2 to H8. No round lasts as many turns as `max_turns` allows: see What must come out.
    Tally play() {
        Tally tally;
        deal();
        int seat = starter;
        for (;;) {
            ++tally.turns;
            play_turn(seat, tally);
            if (placed == CARDS) break;  // H8
            do {                         // letter 3
                if (++seat == players) seat = 0;
            } while (!seats[seat].has_cards());
        }
        tally.rounds = 1;
        ++tally.first_outs[first_out];
        tally.starter_first_out = first_out == starter;
        return tally;
    }
};

static void add(Tally& all, const Tally& one, int players) {
    all.turns += one.turns;
    all.rounds += one.rounds;
    all.flips += one.flips;
    all.flips_placed += one.flips_placed;
    all.from_discard += one.from_discard;
    all.reshuffles += one.reshuffles;
    all.starter_first_out += one.starter_first_out;
    all.first_flip_placed += one.first_flip_placed;
    for (int seat = 0; seat < players; ++seat) {
        all.points[seat] += one.points[seat];
        all.pies[seat] += one.pies[seat];
        all.first_outs[seat] += one.first_outs[seat];
    }
}

int main(int argc, char** argv) {
    u64 n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
    u64 seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    int players = argc > 3 ? std::atoi(argv[3]) : 2;
    int rounds = argc > 4 ? std::atoi(argv[4]) : 3;
    if (argc < 3 || n == 0 || players < 2 || players > MAX_SEATS || rounds < 1) {
        std::fprintf(stderr, "usage: horner N SEED [PLAYERS [ROUNDS]]\n");
        return 2;
    }
    Clock clock;
    u64 wins[MAX_SEATS] = {}, score60[MAX_SEATS] = {}, first_out_score60 = 0;
    Length turns, flips, points[MAX_SEATS], pies[MAX_SEATS];
    Tally all;
    for (u64 index = 0; index < n; ++index) {
        Tally match;
        int starter = 0, first_out = -1;
        for (int number = 0; number < rounds; ++number) {
            Round round(seed, index, u32(number), players, starter);
            add(match, round.play(), players);
            if (number == 0) first_out = round.first_out;
            if (++starter == players) starter = 0;  // H3
        }
        u64 most = 0, sharers = 0;  // H9
        for (int seat = 0; seat < players; ++seat)
            if (match.points[seat] > most) most = match.points[seat];
        for (int seat = 0; seat < players; ++seat) sharers += match.points[seat] == most;
        for (int seat = 0; seat < players; ++seat) {
            if (match.points[seat] == most) {
                wins[seat] += sharers == 1;
                score60[seat] += 60 / sharers;
                first_out_score60 += seat == first_out ? 60 / sharers : 0;
            }
            points[seat].add(match.points[seat]);
            pies[seat].add(match.pies[seat]);
        }
        turns.add(match.turns);
        flips.add(match.flips);
        add(all, match, players);
    }
    clock.stop();

    Json json;
    json.text("game", "horner");
    json.number("n", n);
    json.number("seed", seed);
    json.number("players", u64(players));
    json.number("rounds", u64(rounds));
    json.open("counts");
    json.list("wins", wins, players);
    json.list("score60", score60, players);
    json.length("turns", turns);
    json.length("flips", flips);
    json.lengths("points", points, players);
    json.lengths("pies", pies, players);
    json.number("rounds", all.rounds);
    json.number("flips_placed", all.flips_placed);
    json.number("from_discard", all.from_discard);
    json.number("reshuffles", all.reshuffles);
    json.list("first_out", all.first_outs, players);
    json.number("starter_first_out", all.starter_first_out);
    json.number("first_flip_placed", all.first_flip_placed);
    json.number("first_out_score60", first_out_score60);
    json.close();
    json.end(clock);
}
