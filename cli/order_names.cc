#include "cli/order_names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "topology/problems.h"
#include "topology/spelling.h"

namespace ringway::cli {
namespace {

const v1::TierStatus* FindTier(const v1::StatusReply& fleet, const std::string& name) {
  if (name.empty() && fleet.tiers_size() == 1) return &fleet.tiers(0);
  for (const v1::TierStatus& tier : fleet.tiers()) {
    if (tier.tier() == name) return &tier;
  }
  return nullptr;
}

std::vector<std::string> TierNames(const v1::StatusReply& fleet) {
  std::vector<std::string> names;
  for (const v1::TierStatus& tier : fleet.tiers()) names.push_back(tier.tier());
  return names;
}

// "; tier films has"; empty: none of them.
std::string Others(const std::vector<std::string>& tiers) {
  if (tiers.empty()) return "";
  return absl::StrCat("; tier ", absl::StrJoin(tiers, ", "), tiers.size() == 1 ? " has" : " have");
}

std::string WithLikely(std::string text, const std::string& word, const std::vector<std::string>& known) {
  const std::string suggestion = DidYouMean(word, {known.begin(), known.end()});
  return suggestion.empty() ? text : absl::StrCat(text, "\n", suggestion);
}

bool Serves(const v1::TierStatus& tier, const std::string& region) {
  return std::any_of(tier.regions().begin(), tier.regions().end(), [&](const v1::RegionStatus& known) {
    return known.region() == region && known.workers() > 0;
  });
}

std::string WhoServes(const v1::StatusReply& fleet, const v1::TierStatus& tier, const std::string& region) {
  if (Serves(tier, region)) return "";
  std::vector<std::string> others;
  for (const v1::TierStatus& other : fleet.tiers()) {
    if (Serves(other, region)) others.push_back(other.tier());
  }
  if (others.empty()) return "";
  return absl::StrCat("tier ", tier.tier(), " has no workers in ", region, Others(others));
}

}  // namespace

absl::StatusOr<std::uint32_t> PriorityOf(const v1::StatusReply& fleet, const std::string& tier_name,
                                         const std::string& priority) {
  const v1::TierStatus* tier = FindTier(fleet, tier_name);
  const std::vector<std::string> tiers = TierNames(fleet);
  if (tier == nullptr && tier_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tier: needed, as there are several: ", absl::StrJoin(tiers, ", ")));
  }
  if (tier == nullptr) {
    return absl::NotFoundError(WithLikely(
        absl::StrCat("--tier: found ", Quoted(tier_name), "; allowed: ", absl::StrJoin(tiers, ", ")),
        tier_name, tiers));
  }
  const std::vector<std::string> known(tier->priorities().begin(), tier->priorities().end());
  const auto found = std::find(known.begin(), known.end(), priority);
  if (found != known.end()) return static_cast<std::uint32_t>(found - known.begin());
  std::vector<std::string> others;
  for (const v1::TierStatus& other : fleet.tiers()) {
    const auto& names = other.priorities();
    if (std::find(names.begin(), names.end(), priority) != names.end()) others.push_back(other.tier());
  }
  return absl::NotFoundError(
      WithLikely(absl::StrCat("--priority: found ", Quoted(priority), "; allowed of tier ", tier->tier(),
                              ": ", absl::StrJoin(known, ", "), Others(others)),
                 priority, known));
}

std::string HintFor(const v1::StatusReply& fleet, const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const v1::TierStatus& tier : fleet.tiers()) {
    known.push_back(tier.tier());
    for (const v1::RegionStatus& region : tier.regions()) known.push_back(region.region());
  }
  for (const std::string& name : names) {
    if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string suggestion = DidYouMean(name, known);
    if (!suggestion.empty()) return suggestion;
  }
  const v1::TierStatus* tier = nullptr;
  for (const std::string& name : names) {
    if (tier == nullptr && !name.empty()) tier = FindTier(fleet, name);
  }
  if (tier == nullptr) return "";
  for (const std::string& name : names) {
    std::string who = WhoServes(fleet, *tier, name);
    if (!who.empty()) return who;
  }
  return "";
}

}  // namespace ringway::cli
