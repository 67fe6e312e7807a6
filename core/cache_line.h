// How much memory a processor fetches at once, for records that are to lie in as few lines as they can.
#ifndef RINGWAY_CORE_CACHE_LINE_H_
#define RINGWAY_CORE_CACHE_LINE_H_

#include <cstddef>

namespace ringway {

inline constexpr std::size_t kCacheLine = 64;  // bytes

}  // namespace ringway

#endif  // RINGWAY_CORE_CACHE_LINE_H_
