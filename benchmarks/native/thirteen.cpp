// thirteen, four `lowest` players, classic rules: a straightforward C++ twin of the kernel.
// Same random streams (docs/randomness.md), same deals, so its counts must be the same too.
//
//     c++ -O3 -march=native -o thirteen thirteen.cpp && ./thirteen 1000000 1
//
// Prints deals, deals won by each seat, turns, opener wins, bombs played, instant wins, and deals/s.
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u32 = uint32_t;
using u64 = uint64_t;

struct Stream {
    u32 s[4];
    Stream(u64 seed, u64 index, u32 hand, u32 stream) {
        u32 c[4] = {u32(index), u32(index >> 32), hand, stream};
        u32 k0 = u32(seed), k1 = u32(seed >> 32);
        for (int round = 0; round < 10; ++round) {
            u64 p0 = u64(0xD2511F53) * c[0], p1 = u64(0xCD9E8D57) * c[2];
            u32 next[4] = {u32(p1 >> 32) ^ c[1] ^ k0, u32(p1), u32(p0 >> 32) ^ c[3] ^ k1, u32(p0)};
            for (int j = 0; j < 4; ++j) c[j] = next[j];
            k0 += 0x9E3779B9;
            k1 += 0xBB67AE85;
        }
        for (int j = 0; j < 4; ++j) s[j] = c[j];
        if (!(s[0] | s[1] | s[2] | s[3])) s[0] = 1;
    }
    u32 word() {
        u32 result = std::rotl(s[0] + s[3], 7) + s[0], t = s[1] << 9;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = std::rotl(s[3], 11);
        return result;
    }
    u32 below(u32 n) {
        u64 p = u64(word()) * n;
        if (u32(p) < n)
            for (u32 least = u32(-n) % n; u32(p) < least;) p = u64(word()) * n;
        return u32(p >> 32);
    }
};

constexpr u64 LANES = 0x1111111111111ull;
constexpr u64 BELOW_TWO = (1ull << 48) - 1;

static u64 lowest_cards(u64 group, int k) {
    u64 found = 0;
    while (k--) {
        found |= group & -group;
        group &= group - 1;
    }
    return found;
}

static u64 lanes_of(u64 hand, int copies) {
    u64 found = 0;
    for (int rank = 0; rank < 13; ++rank)
        if (std::popcount((hand >> (4 * rank)) & 15) >= copies) found |= 1ull << (4 * rank);
    return found;
}

// Weakest play of `copies` cards of `ranks` ranks in a row whose highest card is above `above`.
static u64 weakest(u64 hand, int copies, int ranks, int above) {
    u64 lanes = lanes_of(hand, copies);
    if (ranks > 1) lanes &= BELOW_TWO;
    u64 tops = lanes;
    for (int j = 1; j < ranks; ++j) tops = lanes & (tops << 4);
    for (int rank = above < 0 ? 0 : above >> 2; rank < 13; ++rank) {
        if (!(tops >> (4 * rank) & 1)) continue;
        u64 group = hand & (15ull << (4 * rank)), play = 0;
        for (u64 rest = group; rest; rest &= rest - 1) {
            u64 card = rest & -rest;
            if (std::countr_zero(card) <= above) continue;
            u64 under = group & (card - 1);
            if (std::popcount(under) >= copies - 1) {
                play = card | lowest_cards(under, copies - 1);
                break;
            }
        }
        if (!play) continue;
        for (int lower = rank - ranks + 1; lower < rank; ++lower)
            play |= lowest_cards(hand & (15ull << (4 * lower)), copies);
        return play;
    }
    return 0;
}

struct Top {
    u64 cards = 0;
    int copies = 0, ranks = 0;
};

static int highest(u64 cards) { return 63 - std::countl_zero(cards); }

static Top lead(u64 hand) {
    int rank = std::countr_zero(hand) / 4;
    int best_copies = std::popcount((hand >> (4 * rank)) & 15), best_ranks = 1, best = best_copies;
    for (int copies = 1; copies <= 2; ++copies) {
        int ranks = 0;
        while (rank + ranks < 12 && std::popcount((hand >> (4 * (rank + ranks))) & 15) >= copies) ++ranks;
        if (copies == 2 && ranks > 6) ranks = 6;
        int cards = copies * ranks;
        if (ranks >= 3 && (cards > best || (cards == best && ranks < best_ranks)))
            best = cards, best_copies = copies, best_ranks = ranks;
    }
    Top play{0, best_copies, best_ranks};
    for (int j = 0; j < best_ranks; ++j)
        play.cards |= lowest_cards(hand & (15ull << (4 * (rank + j))), best_copies);
    return play;
}


static Top follow(u64 hand, const Top& top) {
    int above = highest(top.cards);
    if (u64 play = weakest(hand, top.copies, top.ranks, above)) return {play, top.copies, top.ranks};
    bool twos = top.ranks == 1 && top.copies <= 3 && top.cards >> 48;
    if (!twos) return {};
    Top best;
    if (top.copies == 1)
        if (u64 quad = weakest(hand, 4, 1, -1)) best = {quad, 4, 1};
    for (int ranks = top.copies + 2; ranks <= 6; ++ranks)
        if (u64 play = weakest(hand, 2, ranks, -1))
            if (!best.cards) best = {play, 2, ranks};
    return best;
}

int main(int argc, char** argv) {
    u64 deals = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1000000;
    u64 seed = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1;
    u64 wins[4] = {}, turns = 0, opener_wins = 0, bombs = 0, instants = 0;
    auto begin = std::chrono::steady_clock::now();
    for (u64 index = 0; index < deals; ++index) {
        Stream stream(seed, index, 0, 0);
        int pool[52];
        for (int card = 0; card < 52; ++card) pool[card] = card;
        u64 hand[4] = {};
        int left = 52;
        for (int card = 0; card < 52; ++card) {
            u32 j = stream.below(left);
            hand[card & 3] |= 1ull << pool[j];
            pool[j] = pool[--left];
        }
        int opener = 0;
        while (!(hand[opener] & 1)) ++opener;
        int winner = -1;
        for (int step = 0; step < 4 && winner < 0; ++step) {
            int seat = (opener + step) & 3;
            if (hand[seat] >> 48 == 15 || std::popcount(lanes_of(hand[seat], 1) & BELOW_TWO) == 12) winner = seat;
        }
        if (winner >= 0) {
            ++instants;
        } else {
            Top top;
            int seat = opener, owner = -1, out = 0;
            unsigned passed = 0;
            for (;;) {
                ++turns;
                Top play = top.cards ? follow(hand[seat], top) : lead(hand[seat]);
                if (play.cards) {
                    if (play.copies == 4 || (play.copies == 2 && play.ranks > 1)) ++bombs;
                    hand[seat] &= ~play.cards;
                    top = play;
                    owner = seat;
                    if (!hand[seat]) {
                        if (++out == 1) winner = seat;
                        if (out == 3) break;
                    }
                } else {
                    passed |= 1u << seat;
                }
                int following = -1;
                for (int step = 1; step < 4 && following < 0; ++step) {
                    int other = (seat + step) & 3;
                    if (hand[other] && other != owner && !(passed >> other & 1)) following = other;
                }
                if (following < 0) {
                    following = owner;
                    while (!hand[following]) following = (following + 1) & 3;
                    top = {};
                    passed = 0;
                    owner = -1;
                }
                seat = following;
            }
        }
        ++wins[winner];
        opener_wins += winner == opener;
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    printf("%llu %llu %llu %llu %llu %llu %llu %llu %llu %.0f\n", (unsigned long long)deals,
           (unsigned long long)wins[0], (unsigned long long)wins[1], (unsigned long long)wins[2],
           (unsigned long long)wins[3], (unsigned long long)turns, (unsigned long long)opener_wins,
           (unsigned long long)bombs, (unsigned long long)instants, deals / seconds);
}
