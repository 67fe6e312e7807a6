// How a sentencepiece model rewrites text before it is cut: its "precompiled_charsmap".
//
// The bytes are the size of a double array (Aoe, 1989; as darts-clone lays it out, a 32-bit word a node), the
// double array, and replacements that end in a zero byte. Of all keys that begin the text the longest is
// taken and replaced; what no key begins with is kept, one character at a time, and a byte that is no UTF-8
// becomes U+FFFD. For the models of T5 this is Unicode's NFKC with their makers' additions: the table is the
// model's, so no knowledge of Unicode is needed here. The map comes from a file that nobody vouches for: a
// node that leads out of the array, or a replacement out of the text, ends the search as if there were no
// such key.
//
// O(bytes of the key) a character. Immutable after Parse; any thread.
#ifndef RINGWAY_ENGINE_TEXT_CHARSMAP_H_
#define RINGWAY_ENGINE_TEXT_CHARSMAP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway::engine {

class Charsmap {
 public:
  // Without a map text stays as it is.
  Charsmap() = default;
  // InvalidArgument for bytes that are too few for what they claim; `what` names them.
  static absl::StatusOr<Charsmap> Parse(std::string_view bytes, std::string_view what);

  struct Prefix {
    std::string_view text;  // what stands for it, valid as long as the map and the text are
    std::size_t bytes = 0;  // of the text, at least 1
  };
  // Of the beginning of a text, which must not be empty.
  Prefix Rewrite(std::string_view text) const;

 private:
  std::vector<std::uint32_t> nodes_;
  std::string replacements_;  // ends in a zero byte
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_CHARSMAP_H_
