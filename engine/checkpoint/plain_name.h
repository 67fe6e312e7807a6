// Names that a checkpoint gives to its parts.
//
// A model directory names its components, an index of shards its files. Both are joined to a folder's path,
// so a name that leads out of it, or to something hidden in it, is refused by whoever reads it: no separator,
// no dot in front, no byte that ends a path early.
//
// Pure, O(length).
#ifndef RINGWAY_ENGINE_CHECKPOINT_PLAIN_NAME_H_
#define RINGWAY_ENGINE_CHECKPOINT_PLAIN_NAME_H_

#include <string_view>

namespace ringway::engine {

inline bool IsPlainName(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_PLAIN_NAME_H_
