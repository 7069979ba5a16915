// thirteen under the default rules, four players, each `lowest`: a straightforward twin of the
// kernel. Rule numbers are those of docs/rules/thirteen.md; "letter" is its section To the
// letter. The random streams are those of docs/randomness.md, so its counts must be those of the
// kernel.
//
//     c++ -std=c++17 -O3 -march=native -o thirteen thirteen.cpp
//     ./thirteen N SEED
//
// Plays the deals 0 .. N-1; prints counts, and the seconds of playing.
#include "twin.hpp"

constexpr int SEATS = 4, CARDS = 52, RANKS = 13, TWO = 48;
constexpr u64 LANES = 0x1111111111111, BELOW_TWO = (u64(1) << TWO) - 1;

// Hands are masks, bit 4 * rank + suit for each card; a rank's four bits are its lane.
static int ones(u64 cards) { return __builtin_popcountll(cards); }
static int lowest(u64 cards) { return __builtin_ctzll(cards); }
static int highest(u64 cards) { return 63 - __builtin_clzll(cards); }
static u64 of_rank(u64 hand, int rank) { return hand & (u64(15) << (4 * rank)); }

static u64 lowest_cards(u64 cards, int k) {
    u64 found = 0;
    for (; k > 0; --k) {
        found |= cards & -cards;
        cards &= cards - 1;
    }
    return found;
}

// The first bit of the lane of each rank with at least so many cards.
static u64 lanes_with(u64 hand, int copies) {
    u64 cards_of = hand - (hand >> 1 & 7 * LANES) - (hand >> 2 & 3 * LANES) - (hand >> 3 & LANES);
    return (cards_of + u64(8 - copies) * LANES) >> 3 & LANES;
}

// T4: `copies` cards of each of `ranks` ranks in a row.
struct Play {
    u64 cards = 0;
    int copies = 0, ranks = 0;

    bool is_bomb() const { return copies == 4 || (copies == 2 && ranks > 1); }  // T6
};

// T4, T5: the weakest combination of a type whose highest card is above `above`, or nothing.
static Play weakest(u64 hand, int copies, int ranks, int above) {
    u64 lanes = lanes_with(hand, copies);
    if (ranks > 1) lanes &= BELOW_TWO;
    u64 tops = lanes;
    for (int j = 1; j < ranks; ++j) tops = lanes & (tops << 4);
    tops &= ~u64(0) << (above < 0 ? 0 : above / 4 * 4);
    for (; tops; tops &= tops - 1) {
        int rank = lowest(tops) / 4;
        u64 group = of_rank(hand, rank);
        u64 rest = group & ~lowest_cards(group, copies - 1);  // any of these can be the highest
        while (rest && lowest(rest) <= above) rest &= rest - 1;
        if (!rest) continue;
        u64 top = rest & -rest;
        Play play{top | lowest_cards(group & (top - 1), copies - 1), copies, ranks};
        for (int lower = rank - ranks + 1; lower < rank; ++lower)
            play.cards |= lowest_cards(of_rank(hand, lower), copies);
        return play;
    }
    return {};
}

// `lowest`, leading: the longest combination with the lowest card; of equal lengths the one
// with the lowest strength, which is the one with the fewest ranks.
static Play lead(u64 hand) {
    int rank = lowest(hand) / 4;
    Play best{0, ones(of_rank(hand, rank)), 1};
    for (int copies = 1; copies <= 2; ++copies) {
        int ranks = 0;
        while (rank + ranks < RANKS - 1 && ones(of_rank(hand, rank + ranks)) >= copies) ++ranks;
        int length = copies * ranks, longest = best.copies * best.ranks;
        if (ranks >= 3 && (length > longest || (length == longest && ranks < best.ranks)))
            best = {0, copies, ranks};
    }
    for (int j = 0; j < best.ranks; ++j)
        best.cards |= lowest_cards(of_rank(hand, rank + j), best.copies);
    return best;
}

// `lowest`, following: the weakest play of the top's own type; a bomb only if there is none.
static Play follow(u64 hand, const Play& top) {
    Play play = weakest(hand, top.copies, top.ranks, highest(top.cards));
    bool twos = top.ranks == 1 && top.copies <= 3 && top.cards >> TWO;
    if (play.cards || !twos) return play;
    if (top.copies == 1) play = weakest(hand, 4, 1, -1);  // T6
    for (int ranks = top.copies + 2; ranks <= 6 && !play.cards; ++ranks)
        play = weakest(hand, 2, ranks, -1);
    return play;
}

// T2
static bool is_instant(u64 hand) {
    return hand >> TWO == 15 || ones(lanes_with(hand, 1) & BELOW_TWO) == RANKS - 1;
}

// What is counted of one deal.
struct Deal {
    int opener = 0, winner = -1;
    bool instant = false;
    u64 plays = 0, passes = 0, tricks = 0, bombs = 0, cards_left = 0;
    int points[SEATS] = {};
};

static Deal play_deal(u64 seed, u64 index) {
    u8 pool[CARDS];  // T1
    for (int card = 0; card < CARDS; ++card) pool[card] = u8(card);
    Stream words(seed, index, 0, 0, 0);
    u64 hand[SEATS] = {};
    for (int k = 0; k < CARDS; ++k) {
        u32 left = u32(CARDS - k), j = words.below(left);
        hand[k % SEATS] |= u64(1) << pool[j];
        pool[j] = pool[left - 1];
    }

    Deal deal;
    while (!(hand[deal.opener] & 1)) ++deal.opener;  // T3
    for (int step = 0; step < SEATS && !deal.instant; ++step) {  // T2, T13
        int seat = (deal.opener + step) % SEATS;
        if (!is_instant(hand[seat])) continue;
        deal.instant = true;
        deal.winner = seat;
        deal.points[seat] = 3;
    }

    // A leader's lowest card is in its play, so that the opener keeps to T3.
    Play top;
    int seat = deal.opener, owner = -1, out = 0;
    u32 passed = 0;
    while (!deal.instant) {
        deal.tricks += owner < 0;
        Play play = owner < 0 ? lead(hand[seat]) : follow(hand[seat], top);  // T7
        if (play.cards) {
            ++deal.plays;
            deal.bombs += play.is_bomb();
            hand[seat] &= ~play.cards;
            top = play;
            owner = seat;
            if (!hand[seat]) {  // T11
                if (out == 0) deal.winner = seat;
                deal.points[seat] = 3 - out;
                if (++out == SEATS - 1) break;
            }
        } else {
            ++deal.passes;
            passed |= 1u << seat;  // T9
        }
        int next = -1;
        for (int step = 1; step < SEATS && next < 0; ++step) {  // T8
            int other = (seat + step) % SEATS;
            if (hand[other] && other != owner && !(passed >> other & 1)) next = other;
        }
        if (next < 0) {  // T8, letter 15: the trick is closed
            next = owner;
            while (!hand[next]) next = (next + 1) % SEATS;
            owner = -1;
            passed = 0;
        }
        seat = next;
    }
    for (int other = 0; other < SEATS; ++other)
        if (other != deal.winner) deal.cards_left += u64(ones(hand[other]));
    return deal;
}

int main(int argc, char** argv) {
    u64 n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
    u64 seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    if (argc < 3 || n == 0) {
        std::fprintf(stderr, "usage: thirteen N SEED\n");
        return 2;
    }
    Clock clock;
    u64 wins[SEATS] = {}, opener_at[SEATS] = {};
    u64 plays = 0, passes = 0, bombs = 0, instant_wins = 0, opener_wins = 0, cards_left = 0;
    Length turns, tricks, points[SEATS];
    for (u64 index = 0; index < n; ++index) {
        Deal deal = play_deal(seed, index);
        ++wins[deal.winner];
        ++opener_at[deal.opener];
        opener_wins += deal.winner == deal.opener;
        instant_wins += deal.instant;
        plays += deal.plays;
        passes += deal.passes;
        bombs += deal.bombs;
        cards_left += deal.cards_left;
        turns.add(deal.plays + deal.passes);
        tricks.add(deal.tricks);
        for (int seat = 0; seat < SEATS; ++seat) points[seat].add(u64(deal.points[seat]));
    }
    clock.stop();

    Json json;
    json.text("game", "thirteen");
    json.number("n", n);
    json.number("seed", seed);
    json.open("counts");
    json.list("wins", wins, SEATS);
    json.length("turns", turns);
    json.length("tricks", tricks);
    json.lengths("points", points, SEATS);
    json.number("plays", plays);
    json.number("passes", passes);
    json.number("bombs_played", bombs);
    json.number("instant_wins", instant_wins);
    json.list("opener_at", opener_at, SEATS);
    json.number("opener_wins", opener_wins);
    json.number("cards_left", cards_left);
    json.close();
    json.end(clock);
}
