#include "gateway/jobs/video_id.h"

#include "absl/strings/str_format.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kPrefix = "video_", kImagePrefix = "image_";
static_assert(kPrefix.size() == kImagePrefix.size());
constexpr std::size_t kCreatedDigits = 8, kDrawDigits = 12, kCheckDigits = 4;
constexpr std::size_t kHeadBytes = kPrefix.size() + kCreatedDigits + kDrawDigits + 1 + kCheckDigits + 1;

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// Small letters only: one text for each number.
std::optional<std::uint64_t> FromHex(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(c >= 'a' && c <= 'f')) return std::nullopt;
    value = value * 16 + static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

std::uint64_t CheckOf(std::string_view numbers, std::string_view owner) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string_view part : {numbers, owner}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) & 0xffff;
}

std::string Escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (IsPlain(c)) {
      text += c;
    } else {
      absl::StrAppendFormat(&text, "~%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return text;
}

std::optional<std::string> Unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsPlain(text[i])) {
      name += text[i];
      continue;
    }
    if (text[i] != '~' || i + 2 >= text.size()) return std::nullopt;
    const auto byte = FromHex(text.substr(i + 1, 2));
    // What needs no escape must not have one.
    if (!byte || IsPlain(static_cast<char>(*byte))) return std::nullopt;
    name += static_cast<char>(*byte);
    i += 2;
  }
  return name;
}

}  // namespace

std::string VideoId::Text() const {
  const std::string numbers =
      absl::StrFormat("%08x%012x", static_cast<std::uint64_t>(created_s) & 0xffffffff, draw & 0xffffffffffff);
  return absl::StrFormat("%s%s_%04x_%s", std::string(image ? kImagePrefix : kPrefix), numbers,
                         CheckOf(numbers, owner), Escaped(owner));
}

std::optional<VideoId> ParseVideoId(std::string_view text) {
  const bool image = text.starts_with(kImagePrefix);
  if (text.size() <= kHeadBytes || text.size() > kIdBytesMax || !(image || text.starts_with(kPrefix))) {
    return std::nullopt;
  }
  const std::string_view numbers = text.substr(kPrefix.size(), kCreatedDigits + kDrawDigits);
  const std::string_view rest = text.substr(kPrefix.size() + numbers.size());
  if (rest[0] != '_' || rest[1 + kCheckDigits] != '_') return std::nullopt;
  const auto created = FromHex(numbers.substr(0, kCreatedDigits));
  const auto draw = FromHex(numbers.substr(kCreatedDigits));
  const auto check = FromHex(rest.substr(1, kCheckDigits));
  auto owner = Unescaped(rest.substr(1 + kCheckDigits + 1));
  if (!created || !draw || !check || !owner || *check != CheckOf(numbers, *owner)) return std::nullopt;
  return VideoId{.created_s = static_cast<std::int64_t>(*created),
                 .draw = *draw,
                 .owner = *std::move(owner),
                 .image = image};
}

}  // namespace ringway::gateway
