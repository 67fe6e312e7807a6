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

// All of the object.
template <class T>
inline void Prefetch(const T* object) {
  const char* at = reinterpret_cast<const char*>(object);
  for (std::size_t i = 0; i < sizeof(T); i += kCacheLine) __builtin_prefetch(at + i);
}

}  // namespace ringway

#endif  // RINGWAY_CORE_PREFETCH_H_
