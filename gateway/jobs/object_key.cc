#include "gateway/jobs/object_key.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/check.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kFilmsPrefix = "films/";
// video_<time and draw, 20 hex>_<check, 4 hex>_<owner>
constexpr std::size_t kNumbersAt = 6, kNumbersDigits = 20, kOwnerAt = kNumbersAt + kNumbersDigits + 6;

std::string Inverse(std::string_view digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string inverse;
  for (const char c : digits) inverse += kDigits[15 - kDigits.find(c)];
  return inverse;
}

}  // namespace

std::string FilmKey(std::string_view id) { return absl::StrCat(AbslView(kFilmsPrefix), AbslView(id)); }

std::string RecordKey(std::string_view id) {
  RINGWAY_CHECK(ParseVideoId(id).has_value());
  return absl::StrCat(AbslView(kRecordsPrefix), Inverse(id.substr(kNumbersAt, kNumbersDigits)), "_",
                      AbslView(id));
}

std::string OldestKey(std::string_view id) { return absl::StrCat(AbslView(kOldestPrefix), AbslView(id)); }

std::string DeletedPrefixOf(std::string_view id) {
  RINGWAY_CHECK(ParseVideoId(id).has_value());
  return absl::StrCat(AbslView(kDeletedPrefix), AbslView(id.substr(kOwnerAt)), "/");
}

std::string DeletedKey(std::string_view id) { return absl::StrCat(DeletedPrefixOf(id), AbslView(id)); }

std::string IdOfKey(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  std::string_view id = key.substr(slash == std::string_view::npos ? key.size() : slash + 1);
  if (key.starts_with(kRecordsPrefix)) id.remove_prefix(std::min(id.size(), kNumbersDigits + 1));
  const auto parsed = ParseVideoId(id);
  if (!parsed || parsed->image) return "";
  const bool same =
      key == RecordKey(id) || key == OldestKey(id) || key == DeletedKey(id) || key == FilmKey(id);
  return same ? std::string(id) : "";
}

}  // namespace ringway::gateway
