// SHA-1 in one pass over the padded message.
#include "sim/sha1.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace redlock::sim {

namespace {

using Digest = std::array<std::uint32_t, 5>;

std::string padded(std::string_view message) {
  std::string text(message);
  text.push_back('\x80');
  while (text.size() % 64 != 56) text.push_back('\0');
  const std::uint64_t bits = std::uint64_t{8} * message.size();
  for (int shift = 56; shift >= 0; shift -= 8) text.push_back(static_cast<char>(bits >> shift));
  return text;
}

std::uint32_t mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999U;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1U;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
  return (b ^ c ^ d) + 0xca62c1d6U;
}

void absorb(Digest& digest, std::string_view block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < 64; ++i) {
    words[i / 4] = (words[i / 4] << 8U) | static_cast<unsigned char>(block[i]);
  }
  for (std::size_t i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = digest;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mixed(i, b, c, d) + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const Digest added{a, b, c, d, e};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] += added[i];
}

}  // namespace

std::string sha1_hex(std::string_view message) {
  Digest digest{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  const std::string text = padded(message);
  for (std::size_t at = 0; at < text.size(); at += 64) {
    absorb(digest, std::string_view(text).substr(at, 64));
  }
  std::string hex;
  for (const std::uint32_t word : digest) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      hex.push_back("0123456789abcdef"[(word >> static_cast<unsigned>(shift)) & 15U]);
    }
  }
  return hex;
}

}  // namespace redlock::sim
