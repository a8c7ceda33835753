/* Texts, and SHA-256. */
#include "runtime.h"

void bundle_add(bundle_text *text, const char *words) {
  for (; *words && text->length + 1 < text->size; words++) text->begin[text->length++] = *words;
  if (text->size) text->begin[text->length] = 0;
}

void bundle_add_number(bundle_text *text, uint64_t number) {
  char digits[21];
  int at = 20;
  digits[20] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  bundle_add(text, digits + at);
}

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void add_block(uint32_t *state, const unsigned char *block) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
           (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
  }
  for (int i = 0; i < 8; i++) v[i] = state[i];
  for (int i = 0; i < 64; i++) {
    uint32_t e = v[4], a = v[0];
    uint32_t first = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                     ((e & v[5]) ^ (~e & v[6])) + round_constants[i] + w[i];
    uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    for (int k = 7; k > 0; k--) v[k] = v[k - 1];
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; i++) state[i] += v[i];
}

void bundle_sha256(const unsigned char *data, uint64_t size, unsigned char *digest) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char last[128];
  uint64_t whole = size / 64 * 64, rest = size - whole;
  for (uint64_t at = 0; at < whole; at += 64) add_block(state, data + at);
  for (int i = 0; i < 128; i++) last[i] = (uint64_t)i < rest ? data[whole + i] : 0;
  last[rest] = 0x80;
  int blocks = rest < 56 ? 1 : 2;
  for (int i = 0; i < 8; i++) last[64 * blocks - 1 - i] = (unsigned char)(size * 8 >> 8 * i);
  for (int i = 0; i < blocks; i++) add_block(state, last + 64 * i);
  for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(state[i / 4] >> (24 - i % 4 * 8));
}
