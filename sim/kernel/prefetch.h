// Brings memory near that is about to be read: a hint, without any effect on results.
//
// For loops that know what they will touch some turns ahead, as a simulation does: its machines are larger
// than the caches, and without hints most of its time is waiting for memory, one line after the other. 64
// bytes a line. Any address will do, also one that is not mapped.
#ifndef RINGWAY_SIM_KERNEL_PREFETCH_H_
#define RINGWAY_SIM_KERNEL_PREFETCH_H_

#include <cstddef>

#include "core/cache_line.h"

namespace ringway::sim {

inline void PrefetchLine(const char* at) {
  __builtin_prefetch(at);
  // g++ takes a function that only prefetches for one without effect, and leaves the calls of it out.
  asm volatile("" : : "r"(at));
}

// All of the object: also the line in which its end lies, when it does not begin with one.
template <class T>
inline void Prefetch(const T* object) {
  const char* const begin = reinterpret_cast<const char*>(object);
  for (std::size_t i = 0; i < sizeof(T); i += kCacheLine) PrefetchLine(begin + i);
  if constexpr (alignof(T) < kCacheLine && sizeof(T) > 1) PrefetchLine(begin + sizeof(T) - 1);
}

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_KERNEL_PREFETCH_H_
