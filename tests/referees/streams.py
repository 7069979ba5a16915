"""The random streams of docs/randomness.md, in plain whole numbers."""

M32 = 0xFFFFFFFF


def philox4x32_10(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    """One block of Philox4x32 with ten rounds: four words in, four words out."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & M32, (p0 >> 32) ^ c3 ^ k1, p0 & M32
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return c0, c1, c2, c3


def rotl(x: int, k: int) -> int:
    return ((x << k) | (x >> (32 - k))) & M32


class Xoshiro128pp:
    """xoshiro128++ 1.0 and the bounded whole numbers drawn from its words."""

    def __init__(self, s0: int, s1: int, s2: int, s3: int) -> None:
        self.state = [s0, s1, s2, s3] if s0 | s1 | s2 | s3 else [1, 0, 0, 0]

    def word(self) -> int:
        """The next word, 0 .. 2^32-1."""
        s = self.state
        result = (rotl((s[0] + s[3]) & M32, 7) + s[0]) & M32
        t = (s[1] << 9) & M32
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)
        return result

    def below(self, n: int) -> int:
        """A whole number 0 .. n-1, each equally likely."""
        product = self.word() * n
        while product & M32 < 2**32 % n:
            product = self.word() * n
        return product >> 32


def stream(seed: int, stream: int, index: int, hand: int, part: int = 0) -> Xoshiro128pp:
    """The stream of words at an address."""
    counter = (index & M32, index >> 32, hand, stream + 256 * part)
    return Xoshiro128pp(*philox4x32_10(counter, (seed & M32, seed >> 32)))
