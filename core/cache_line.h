// How much memory a processor fetches at once.
//
// Records that are read or written one by one out of many begin at a multiple of it, so that each lies in as
// few lines as it can: every further line is another wait for memory. That holds for x86-64 and most of Arm;
// where lines are longer, nothing but time is lost. Pure.
#ifndef RINGWAY_CORE_CACHE_LINE_H_
#define RINGWAY_CORE_CACHE_LINE_H_

#include <cstddef>

namespace ringway {

inline constexpr std::size_t kCacheLine = 64;  // bytes

}  // namespace ringway

#endif  // RINGWAY_CORE_CACHE_LINE_H_
