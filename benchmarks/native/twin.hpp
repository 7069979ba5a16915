// What the twins of all games share: random streams, counts, clocks, and JSON.
#pragma once

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
