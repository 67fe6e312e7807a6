#include "controller/fleet/leader_registry.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace ringway::controller {
namespace {

constexpr double kSilencePeriods = 1.75;
constexpr double kBreakPeriods = 0.5;

// Nobody can have held a ledger of this region under a leader that this one has forgotten.
bool NeverLed(const RouterHello& hello, std::uint64_t epoch) {
  return hello.table.epoch == 0 || hello.table.epoch == epoch;
}

}  // namespace

struct LeaderRegistry::Candidate {
  const RouterState* router;
  int ledgers = 0;
};

// How long a router is believed to live from what is known of it.
struct LeaderRegistry::Liveness {
  Duration silence_max;
  Duration break_max;
  Time trusted_until;

  Time HeardUntil(const RouterState& router) const {
    return std::max(router.reported_at, router.left_at) + silence_max;
  }
  Time Until(const RouterState& router) const {
    if (router.stream != 0) return HeardUntil(router);
    return std::max(router.left_at + break_max, trusted_until);
  }
};

LeaderRegistry::Candidates LeaderRegistry::Living(Time now, const Fleet& fleet, const FleetView& view,
                                                  const Liveness& liveness, const Leaders& leaders) {
  Candidates living(fleet.world.regions.size());
  for (const auto& [name, router] : view.routers()) {
    if (router.stream == 0 || now >= liveness.HeardUntil(router)) continue;
    Candidate candidate{&router};
    for (const LeaderEntry& held : leaders[router.hello.region]) candidate.ledgers += held.router == name;
    living[router.hello.region].push_back(candidate);
  }
  return living;
}

Fence LeaderRegistry::NextFence(std::uint64_t epoch) {
  if (epoch != epoch_) last_appointment_ = 0;
  epoch_ = epoch;
  return {epoch, ++last_appointment_};
}

// Until when the leader's router is believed to live as the life that was appointed; infinite past: it is
// not.
Time LeaderRegistry::StandsUntil(const LeaderEntry& leader, RegionId region, const FleetView& view,
                                 const Liveness& liveness) {
  const auto found = view.routers().find(leader.router);
  if (found == view.routers().end() || found->second.hello.region != region) return InfinitePast();
  const RouterState& router = found->second;
  const bool reborn = router.stream != 0 && router.hello.incarnation != leader.incarnation;
  return reborn ? InfinitePast() : liveness.Until(router);
}

const LeaderEntry* LeaderRegistry::LeaderOf(RegionId region, TierId tier) const {
  for (const LeaderEntry& leader : leaders_[region]) {
    if (leader.tier == tier) return &leader;
  }
  return nullptr;
}

LeaderEntry LeaderRegistry::Appoint(TierId tier, bool first, std::uint64_t epoch,
                                    std::vector<Candidate>& living) {
  const auto best =
      std::min_element(living.begin(), living.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.ledgers, a.router->hello.router) < std::tie(b.ledgers, b.router->hello.router);
      });
  const bool fresh = first && std::all_of(living.begin(), living.end(), [&](const Candidate& c) {
                       return NeverLed(c.router->hello, epoch);
                     });
  ++best->ledgers;
  const RouterHello& chosen = best->router->hello;
  return {.tier = tier,
          .router = chosen.router,
          .incarnation = chosen.incarnation,
          .fence = NextFence(epoch),
          .fresh = fresh};
}

std::vector<std::string> LeaderRegistry::Refresh(Time now, const Fleet& fleet, const FleetView& view,
                                                 std::uint64_t epoch, Duration report_period) {
  const Liveness liveness{kSilencePeriods * report_period, kBreakPeriods * report_period, trusted_until_};
  leaders_.resize(fleet.world.regions.size());
  Candidates living = Living(now, fleet, view, liveness, leaders_);
  std::vector<std::string> changes;
  due_ = InfiniteFuture();
  for (RegionId region(0); region != fleet.world.regions.end_id(); region = RegionId(region.index() + 1)) {
    std::vector<LeaderEntry> next;
    for (TierId tier(0); tier != fleet.tiers.end_id(); tier = TierId(tier.index() + 1)) {
      const Tier& spec = fleet.tiers[tier];
      const LeaderEntry* leader = LeaderOf(region, tier);
      if (spec.dispatch.mode != DispatchMode::kLedger || spec.regions[region].workers == 0) {
        // Nobody's; that there was somebody is remembered.
        if (leader != nullptr) next.push_back({.tier = tier, .router = "", .fence = leader->fence});
        continue;
      }
      const Time until = leader != nullptr ? StandsUntil(*leader, region, view, liveness) : InfinitePast();
      if (now < until || living[region].empty()) {
        if (leader != nullptr) next.push_back(*leader);
        if (now < until) due_ = std::min(due_, until);
        continue;
      }
      next.push_back(Appoint(tier, leader == nullptr, epoch, living[region]));
      due_ = std::min(due_, now + liveness.silence_max);
      changes.push_back(absl::StrCat(
          "router ", next.back().router, " holds the ledger of tier ", spec.name, " in ",
          fleet.world.regions[region].name, ", appointment ", epoch, "/", last_appointment_,
          leader != nullptr && !leader->router.empty() ? absl::StrCat(", after ", leader->router) : ""));
    }
    leaders_[region] = std::move(next);
  }
  return changes;
}

bool LeaderRegistry::Overtaken(RegionId region, TierId tier, const Fence& known) const {
  if (!leaders_.contains(region)) return false;
  const LeaderEntry* leader = LeaderOf(region, tier);
  return leader != nullptr && leader->fence < known;
}

void LeaderRegistry::Renew(RegionId region, TierId tier, std::uint64_t epoch) {
  for (LeaderEntry& leader : leaders_[region]) {
    if (leader.tier != tier) continue;
    leader.fence = NextFence(epoch);
    leader.fresh = false;
  }
}

void LeaderRegistry::Restore(Leaders leaders, const Counters& counters) {
  leaders_ = std::move(leaders);
  epoch_ = counters.epoch;
  last_appointment_ = counters.last;
  trusted_until_ = counters.trusted_until;
  due_ = counters.due;
}

}  // namespace ringway::controller
