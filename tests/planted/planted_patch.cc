#include "tests/planted/planted_patch.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ringway {

PlantedPatch ParsePlanted(std::string_view text) {
  PlantedPatch patch;
  std::vector<PlantedPatch::Hunk>* hunks = nullptr;
  for (absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (hunks == nullptr && absl::ConsumePrefix(&line, "Fault: ")) {
      patch.fault = std::string(line);
    } else if (hunks == nullptr && absl::ConsumePrefix(&line, "Suffers: ")) {
      patch.suffers = std::string(line);
    } else if (hunks == nullptr && absl::ConsumePrefix(&line, "Found by: ")) {
      patch.found_by = std::string(line);
    } else if (absl::ConsumePrefix(&line, "+++ b/")) {
      hunks = &patch.files[std::string(line)];
    } else if (absl::StartsWith(line, "--- a/") || hunks == nullptr || line.empty()) {
      continue;
    } else if (absl::StartsWith(line, "@@")) {
      hunks->emplace_back();
    } else if (!hunks->empty()) {
      const std::string rest(line.substr(1));
      if (line.front() != '+') hunks->back().before.push_back(rest);
      if (line.front() != '-') hunks->back().after.push_back(rest);
    }
  }
  return patch;
}

std::vector<std::string> Apply(const std::vector<PlantedPatch::Hunk>& hunks,
                               const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  auto at = lines.begin();
  for (const PlantedPatch::Hunk& hunk : hunks) {
    const auto found = std::search(at, lines.end(), hunk.before.begin(), hunk.before.end());
    if (hunk.before.empty() || found == lines.end()) return {};
    result.insert(result.end(), at, found);
    result.insert(result.end(), hunk.after.begin(), hunk.after.end());
    at = found + static_cast<std::ptrdiff_t>(hunk.before.size());
  }
  result.insert(result.end(), at, lines.end());
  return result;
}

}  // namespace ringway
