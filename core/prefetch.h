// Brings memory near that is about to be read: a hint, without any effect on results.
//
// For loops that know what they will touch some turns ahead, as a simulation does: its machines are larger
// than the caches, and without hints most of its time is waiting for memory, one line after the other. 64
// bytes a line. Any address will do, also one that is not mapped.
#ifndef RINGWAY_CORE_PREFETCH_H_
#define RINGWAY_CORE_PREFETCH_H_

#include <cstddef>

namespace ringway {

inline constexpr std::size_t kCacheLine = 64;

inline void PrefetchLine(const char* at) {
  __builtin_prefetch(at);
  // g++ takes a function that only prefetches for one without effect, and leaves the calls of it out.
  asm volatile("" : : "r"(at));
}

// The lines from `begin` to before `end`.
inline void PrefetchRange(const void* begin, const void* end) {
  const auto* const first = static_cast<const char*>(begin);
  for (const char* at = first; at < static_cast<const char*>(end); at += kCacheLine) PrefetchLine(at);
}

// All of the object: also the line in which its end lies, when it does not begin with one.
template <class T>
inline void Prefetch(const T* object) {
  const char* const begin = reinterpret_cast<const char*>(object);
  for (std::size_t i = 0; i < sizeof(T); i += kCacheLine) PrefetchLine(begin + i);
  if constexpr (alignof(T) < kCacheLine && sizeof(T) > 1) PrefetchLine(begin + sizeof(T) - 1);
}

}  // namespace ringway

#endif  // RINGWAY_CORE_PREFETCH_H_
