/* The features of an x86-64, by CPUID and XCR0. */
#include "runtime.h"

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *words) {
  __asm__ volatile("cpuid"
                   : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3])
                   : "0"(leaf), "2"(subleaf));
}

const char *bundle_missing_feature(const bundle_feature *features, uint32_t count) {
  uint32_t words[4], last[2], saved = 0, unused;
  cpuid(0, 0, words);
  last[0] = words[0];
  cpuid(0x80000000u, 0, words);
  last[1] = words[0];
  cpuid(1, 0, words);
  if (words[2] >> 27 & 1) __asm__ volatile("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
  for (uint32_t i = 0; i < count; i++) {
    const bundle_feature *f = features + i;
    if (f->leaf > last[f->leaf >> 31]) return f->name;
    if (f->subleaf) {
      cpuid(f->leaf, 0, words);
      if (f->subleaf > words[0]) return f->name;
    }
    cpuid(f->leaf, f->subleaf, words);
    if (!(words[f->word] >> f->bit & 1) || (saved & f->saved) != f->saved) return f->name;
  }
  return NULL;
}
