#include "cli/load/entries.h"

#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "topology/problems.h"
#include "topology/spelling.h"

namespace ringway::load {
namespace {

constexpr double kShareMax = 1e6;

}  // namespace

absl::StatusOr<std::vector<Entry>> EntriesOf(const v1::StatusReply& fleet,
                                             const std::vector<std::string>& regions) {
  std::map<std::string, Entry> all;
  for (const v1::RouterStatus& router : fleet.routers()) {
    Entry& entry = all[router.region()];
    entry.region = router.region();
    entry.routers.push_back(router.address());
  }
  std::vector<Entry> entries;
  if (regions.empty()) {
    for (auto& [name, entry] : all) entries.push_back(std::move(entry));
    if (entries.empty()) return absl::NotFoundError("the controller lists no router where jobs could enter");
    return entries;
  }
  std::vector<std::string_view> known;
  for (const auto& [name, entry] : all) known.push_back(name);
  for (const std::string& word : regions) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    double share = 1;
    const bool readable = equals == std::string::npos || absl::SimpleAtod(word.substr(equals + 1), &share);
    if (!readable || !(share > 0 && share <= kShareMax)) {
      return absl::InvalidArgumentError(absl::StrCat("--region: found ", Quoted(word),
                                                     "; allowed: REGION or REGION=SHARE, a share above 0"));
    }
    const auto found = all.find(name);
    if (found == all.end()) {
      const std::string suggestion = DidYouMean(name, known);
      return absl::NotFoundError(absl::StrCat("--region: no router of a region called ", Quoted(name),
                                              " is connected", suggestion.empty() ? "" : "\n", suggestion));
    }
    entries.push_back(found->second);
    entries.back().share = share;
  }
  return entries;
}

}  // namespace ringway::load
