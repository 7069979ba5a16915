// aces under the default rules, every seat `always+lowest`: a straightforward twin of the kernel.
// Rule numbers are those of docs/rules/aces.md; "letter" is its section To the letter. The random
// streams are those of docs/randomness.md, so its counts must be those of the kernel.
//
//     c++ -std=c++17 -O3 -march=native -o aces aces.cpp
//     ./aces N SEED [PLAYERS [full|hand]]
//
// Plays the matches (with `hand`: single hands) 0 .. N-1; prints counts, and the seconds of
// playing.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The words of one address, and unbiased whole numbers made of them: docs/randomness.md.
class Stream {
    u32 s[4];

    static u32 rotl(u32 x, int k) { return x << k | x >> (32 - k); }

    u32 word() {  // xoshiro128++ 1.0
        u32 result = rotl(s[0] + s[3], 7) + s[0], t = s[1] << 9;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = rotl(s[3], 11);
        return result;
    }

  public:
    Stream(u64 seed, u64 index, u32 hand, u32 stream, u32 part) {  // Philox4x32-10
        u32 c[4] = {u32(index), u32(index >> 32), hand, stream + 256 * part};
        u32 k0 = u32(seed), k1 = u32(seed >> 32);
        for (int round = 0; round < 10; ++round) {
            u64 p0 = u64(0xD2511F53) * c[0], p1 = u64(0xCD9E8D57) * c[2];
            c[0] = u32(p1 >> 32) ^ c[1] ^ k0;
            c[1] = u32(p1);
            c[2] = u32(p0 >> 32) ^ c[3] ^ k1;
            c[3] = u32(p0);
            k0 += 0x9E3779B9;
            k1 += 0xBB67AE85;
        }
        std::memcpy(s, c, sizeof s);
        if (!(s[0] | s[1] | s[2] | s[3])) s[0] = 1;
    }

    u32 below(u32 n) {  // Lemire 2019
        u64 p = u64(word()) * n;
        if (u32(p) < n)  // else no rejection is possible, and no division is needed
            for (u32 least = (0u - n) % n; u32(p) < least;) p = u64(word()) * n;
        return u32(p >> 32);
    }
};

// What is kept of a histogram: enough to notice that one differs.
struct Length {
    u64 min = ~u64(0), max = 0, sum = 0, squares = 0;

    void add(u64 value) {
        if (value < min) min = value;
        if (value > max) max = value;
        sum += value;
        squares += value * value;
    }
};

// Seconds on the clock on the wall, and of the processor.
class Clock {
    std::chrono::steady_clock::time_point wall_begin = std::chrono::steady_clock::now();
    std::clock_t cpu_begin = std::clock();

  public:
    double wall = 0, cpu = 0;

    void stop() {
        std::chrono::duration<double> passed = std::chrono::steady_clock::now() - wall_begin;
        wall = passed.count();
        cpu = double(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    }
};

// One JSON object on standard output.
class Json {
    const char* before = "{";

    void name(const char* text) {
        std::printf("%s", before);
        if (*text) std::printf("\"%s\": ", text);
        before = ", ";
    }

  public:
    void open(const char* title, char bracket = '{') {
        name(title);
        std::printf("%c", bracket);
        before = "";
    }

    void close(char bracket = '}') {
        std::printf("%c", bracket);
        before = ", ";
    }

    void text(const char* title, const char* value) {
        name(title);
        std::printf("\"%s\"", value);
    }

    void number(const char* title, u64 value) {
        name(title);
        std::printf("%llu", static_cast<unsigned long long>(value));
    }

    void list(const char* title, const u64* values, int n) {
        open(title, '[');
        for (int j = 0; j < n; ++j) number("", values[j]);
        close(']');
    }

    void length(const char* title, const Length& one) {
        open(title);
        number("min", one.min);
        number("max", one.max);
        number("sum", one.sum);
        number("squares", one.squares);
        close();
    }

    void lengths(const char* title, const Length* many, int n) {
        open(title, '[');
        for (int j = 0; j < n; ++j) length("", many[j]);
        close(']');
    }

    void end(const Clock& clock) {
        name("seconds");
        std::printf("%.9f", clock.wall);
        name("cpu_seconds");
        std::printf("%.6f}\n", clock.cpu);
    }
};

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
