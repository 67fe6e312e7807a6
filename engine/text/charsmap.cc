#include "engine/text/charsmap.h"

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "engine/text/unicode.h"

namespace ringway::engine {
namespace {

constexpr char kReplacementText[] = "\xEF\xBF\xBD";  // U+FFFD

// A word of the double array: a label with the highest bit clear, or, with it set, a value.
bool HasLeaf(std::uint32_t node) { return (node >> 8 & 1) != 0; }
std::uint32_t Label(std::uint32_t node) { return node & 0x800000ffu; }
std::uint32_t Value(std::uint32_t node) { return node & 0x7fffffffu; }
std::size_t Offset(std::uint32_t node) { return std::size_t{node >> 10} << ((node & 0x200u) >> 6); }

}  // namespace

absl::StatusOr<Charsmap> Charsmap::Parse(std::string_view bytes, std::string_view what) {
  Charsmap map;
  if (bytes.empty()) return map;
  std::uint32_t size = 0;
  if (bytes.size() > sizeof(size)) std::memcpy(&size, bytes.data(), sizeof(size));
  if (size == 0 || size % sizeof(std::uint32_t) != 0 || size >= bytes.size() - sizeof(size))
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what), ": precompiled_charsmap claims a table of ", size, " bytes, and has ",
                     bytes.size(), "; allowed: whole words of 4 bytes, with replacements after them"));
  bytes.remove_prefix(sizeof(size));
  map.nodes_.resize(size / sizeof(std::uint32_t));
  std::memcpy(map.nodes_.data(), bytes.data(), size);
  map.replacements_ = std::string(bytes.substr(size)) + '\0';
  return map;
}

Charsmap::Prefix Charsmap::Rewrite(std::string_view text) const {
  Prefix longest;
  std::size_t at = nodes_.empty() ? 0 : Offset(nodes_[0]);
  for (std::size_t i = 0; i < text.size() && !nodes_.empty(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (at >= nodes_.size() || Label(nodes_[at]) != byte) break;
    const std::uint32_t node = nodes_[at];
    at ^= Offset(node);
    if (!HasLeaf(node)) continue;
    if (at >= nodes_.size() || Value(nodes_[at]) >= replacements_.size()) break;
    longest = {replacements_.c_str() + Value(nodes_[at]), i + 1};
  }
  if (longest.bytes > 0) return longest;
  std::string_view rest = text;
  const char32_t character = TakeCharacter(rest);
  const std::size_t bytes = text.size() - rest.size();
  // A byte that is no UTF-8 reads as one character too, unlike U+FFFD itself, which has three bytes.
  if (character == kReplacement && bytes == 1) return {kReplacementText, 1};
  return {text.substr(0, bytes), bytes};
}

}  // namespace ringway::engine
