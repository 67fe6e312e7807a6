// Brings memory near that is about to be read: a hint, without any effect on results.
//
// For loops that know what they will touch some turns ahead, as a simulation does: its machines are larger
// than the caches, and without hints most of its time is waiting for memory, one line after the other. 64
// bytes a line. Any address will do, also one that is not mapped.
#ifndef RINGWAY_CORE_PREFETCH_H_
#define RINGWAY_CORE_PREFETCH_H_

#include <cstddef>
#include <cstdint>

namespace ringway {

inline constexpr std::size_t kCacheLine = 64;

// All of the object: also the line in which its end lies, when it does not begin with one.
template <class T>
inline void Prefetch(const T* object) {
  const char* const begin = reinterpret_cast<const char*>(object);
  const char* const end = begin + sizeof(T);
  const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % kCacheLine;
  for (const char* line = begin - before; line < end; line += kCacheLine) {
    __builtin_prefetch(line);
    // g++ takes a function that only prefetches for one without effect, and leaves the calls of it out.
    asm volatile("" : : "r"(line));
  }
}

}  // namespace ringway

#endif  // RINGWAY_CORE_PREFETCH_H_
