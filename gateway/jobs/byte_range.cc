#include "gateway/jobs/byte_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "gateway/jobs/header_words.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kUnit = "bytes=";

std::optional<std::uint64_t> Whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

ByteRange ReadRange(std::string_view field, std::uint64_t size) {
  using Kind = ByteRange::Kind;
  const ByteRange whole{Kind::kWhole, 0, size};
  const ByteRange nothing{Kind::kUnsatisfiable, 0, 0};
  if (!field.starts_with(kUnit)) return whole;
  const std::string_view set = Trimmed(field.substr(kUnit.size()));
  const std::size_t dash = set.find('-');
  if (dash == std::string_view::npos || set.find(',') != std::string_view::npos) return whole;
  const std::string_view from = set.substr(0, dash), to = set.substr(dash + 1);
  const auto first = Whole(from);
  const auto last = Whole(to);
  if (from.empty()) {  // the last so many bytes
    if (!last) return whole;
    const std::uint64_t count = std::min(*last, size);
    return count == 0 ? nothing : ByteRange{Kind::kPart, size - count, count};
  }
  if (!first || (!to.empty() && (!last || *last < *first))) return whole;
  if (*first >= size) return nothing;
  const std::uint64_t end = to.empty() ? size - 1 : std::min(*last, size - 1);
  return {Kind::kPart, *first, end - *first + 1};
}

}  // namespace ringway::gateway
