#include "controller/planner/fair_share.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/planner/closure.h"
#include "controller/planner/offload.h"

namespace ringway::planner {
namespace {

constexpr int kBisections = 60;

// Its requests cannot stay where they entered: no workers, or all of them drained.
bool Homeless(const Site& site) { return site.CapacityRps(site.shed_level) <= 0; }

std::optional<RegionId> HottestStuck(const Draft& draft) {
  std::optional<RegionId> hottest;
  double level_max = -1;
  ForEachRegion(draft.size(), [&](RegionId region) {
    if (!draft.Hot(region)) return;
    // Who can stay at home is settled first, so that others are filled for those alone who cannot.
    const double level = Homeless(draft.sites[region]) ? 0 : draft.Level(region);
    if (!hottest || level > level_max) {
      hottest = region;
      level_max = level;
    }
  });
  return hottest;
}

// Every region of the closure once. Targets whose import cap binds are left out: filling them higher, or
// refusing their own requests, makes no room for anybody else.
std::vector<RegionId> Members(const Draft& draft, const Closure& closure) {
  std::vector<RegionId> members = closure.sources;
  for (const RegionId target : closure.targets) {
    const Site& site = draft.sites[target];
    if (site.import_max_rps - draft.imported_rps[target] > draft.Epsilon(target)) members.push_back(target);
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

class FairShare {
 public:
  FairShare(const Reach& reach, const Tier& tier, Draft& draft, std::vector<Finding>& findings)
      : reach_(reach), tier_(tier), draft_(draft), findings_(findings) {
    ForEachRegion(draft.size(), [this](RegionId region) {
      everybody_.push_back(region);
      import_max_rps_.push_back(draft_.sites[region].import_max_rps);
    });
  }

  void Run() {
    if (tier_.route.escalation == Escalation::kByLoad) return StayWithinRings();
    const std::size_t rounds_max = 4 * draft_.size() + 64;
    std::optional<RegionId> stuck = HottestStuck(draft_);
    for (std::size_t round = 0; stuck && round < rounds_max; ++round) {
      Closure closure = Explore(reach_, tier_, draft_, *stuck);
      if (!closure.way_out.empty()) {
        MoveAlong(closure.way_out, draft_);
      } else {
        AbsorbStuck(closure);
        Relieve(*stuck, closure);
      }
      stuck = HottestStuck(draft_);
    }
    for (; stuck; stuck = HottestStuck(draft_)) {
      if (!StayHotter({*stuck}, {})) Shed({*stuck}, draft_.ExcessRps(*stuck));
    }
  }

 private:
  struct Overload {
    RegionId source;
    double rps = 0;  // that found no room
  };

  // The strict reading of the rings: what they do not let out stays, hot; above the shed level it is refused.
  void StayWithinRings() {
    for (const RegionId source : everybody_) {
      if (!draft_.Hot(source)) continue;
      const double excess_rps = draft_.ExcessRps(source);
      StayHotter({source}, {});
      const double shed_rps = draft_.Hot(source) ? Shed({source}, draft_.ExcessRps(source)) : 0;
      Report(source, 1, draft_.sites[source].limit_level, excess_rps, shed_rps);
    }
  }

  // Other stuck sources that can go nowhere else share the overload of the closure.
  void AbsorbStuck(Closure& closure) const {
    IdVector<RegionId, char> inside(draft_.size());
    for (const RegionId target : closure.targets) inside[target] = 1;
    for (const RegionId source : closure.sources) inside[source] = 1;
    ForEachRegion(draft_.size(), [&](RegionId source) {
      if (!draft_.Hot(source)) return;
      if (std::find(closure.sources.begin(), closure.sources.end(), source) != closure.sources.end()) return;
      const std::size_t end = reach_.CountWithin(source, OpenRings(reach_, tier_, draft_, source));
      for (const std::uint16_t target : reach_.Targets(source).first(end)) {
        if (!inside[RegionId(target)]) return;
      }
      closure.sources.push_back(source);
    });
  }

  // Raises the closure's level, or sheds when it is full; then lets its sources look for room again.
  void Relieve(RegionId stuck, const Closure& closure) {
    homeless_ = Homeless(draft_.sites[stuck]);
    if (homeless_) OpenAgain();
    const std::vector<RegionId> members = Members(draft_, closure);
    const double level = CommonLevel(members);
    RegionId worst = stuck;
    double excess_rps = 0;
    for (const RegionId source : closure.sources) {
      if (!draft_.Hot(source)) continue;
      if (draft_.ExcessRps(source) > draft_.ExcessRps(worst)) worst = source;
      excess_rps += draft_.ExcessRps(source);
    }
    const bool raised = Raise(members, level) || StayHotter(closure.sources, members);
    std::vector<Overload> left;
    for (const RegionId source : closure.sources) {
      if (draft_.Hot(source)) left.push_back({source, draft_.ExcessRps(source)});
    }
    for (const RegionId source : closure.sources) {
      draft_.BringBack(source);
      // Raised earlier, it took in what it must now keep for itself.
      if (draft_.ExcessRps(source) + draft_.imported_rps[source] > 0) SendBackImports(source);
      // What it is raised to for its own requests is no room for others.
      Site& site = draft_.sites[source];
      if (site.limit_level > RaisedMax(source)) site.import_max_rps = draft_.imported_rps[source];
    }
    const double shed_rps = raised ? 0 : Refuse(left, members);
    Offload(reach_, tier_, everybody_, draft_);
    Report(worst, members.size(), level, excess_rps, shed_rps);
  }

  // Who was closed to others for the sake of its own requests takes the homeless like everybody, unless it
  // refuses some of its own.
  void OpenAgain() {
    for (const RegionId region : everybody_) {
      Site& site = draft_.sites[region];
      if (site.limit_level <= site.shed_level) site.import_max_rps = import_max_rps_[region];
    }
  }

  bool Raise(const std::vector<RegionId>& members, double level) {
    bool raised = false;
    for (const RegionId region : members) {
      raised = RaiseTo(region, std::min(level, RaisedMax(region))) || raised;
    }
    return raised;
  }

  bool RaiseTo(RegionId region, double level) {
    Site& site = draft_.sites[region];
    if (site.limit_level >= level) return false;
    const bool raised = site.CapacityRps(level) > site.capacity_rps + draft_.Epsilon(region);
    site.SetLimit(level);
    return raised;
  }

  void SendBackImports(RegionId target) {
    if (draft_.imported_rps[target] <= 0) return;
    for (const RegionId source : everybody_) {
      if (!draft_.sites[source].frozen) draft_.TakeBack(source, target);
    }
  }

  // What found no room anywhere stays where it is, as far as that is allowed at all: up to the shed level,
  // and above it as long as nobody would be refused were all of it levelled over the `members`, because that
  // is how much may find an idle worker there in the end.
  bool StayHotter(const std::vector<RegionId>& sources, const std::vector<RegionId>& members) {
    double spare_rps = 0, above_rps = 0;
    for (const RegionId member : members) spare_rps += SpareRps(member);
    for (const RegionId source : sources) above_rps += AboveShedRps(source);
    const double share = above_rps > 0 ? std::min(1.0, spare_rps / above_rps) : 0;
    bool raised = false;
    for (const RegionId source : sources) {
      if (!draft_.Hot(source)) continue;
      const double level = draft_.Level(source) * (1 + 1e-9), shed_level = draft_.sites[source].shed_level;
      raised =
          RaiseTo(source, level <= shed_level ? level : shed_level + share * (level - shed_level)) || raised;
    }
    return raised;
  }

  // What a region that is not hot could hold besides before anybody is refused.
  double SpareRps(RegionId region) const {
    if (draft_.Hot(region)) return 0;
    const Site& site = draft_.sites[region];
    const double held_rps = draft_.kept_rps[region] + draft_.imported_rps[region];
    return std::clamp(site.CapacityRps(site.shed_level) - held_rps, 0.0,
                      std::max(0.0, site.import_max_rps - draft_.imported_rps[region]));
  }
  double AboveShedRps(RegionId region) const {
    if (!draft_.Hot(region)) return 0;
    const Site& site = draft_.sites[region];
    const double held_rps = draft_.kept_rps[region] + draft_.imported_rps[region];
    return std::max(0.0, held_rps - site.CapacityRps(site.shed_level));
  }

  // Above the shed level: of everybody whom the overload has reached, or of those who are in it.
  double Refuse(const std::vector<Overload>& left, const std::vector<RegionId>& members) {
    double all_rps = 0, shed_rps = 0;
    for (const Overload& one : left) all_rps += one.rps;
    if (homeless_ || tier_.isolation() == Isolation::kLevel) return Shed(members, all_rps);
    for (const Overload& one : left) shed_rps += Shed({one.source}, one.rps);
    return shed_rps;
  }

  // How far the overload of others may raise a region.
  double RaisedMax(RegionId region) const {
    const Site& site = draft_.sites[region];
    return homeless_ ? site.shed_level : site.raised_max;
  }

  // Requests/s that the members would get at `level`, none of them less than it is allowed now.
  double ServedAt(const std::vector<RegionId>& members, double level) const {
    double served = 0;
    for (const RegionId region : members) {
      const Site& site = draft_.sites[region];
      served += std::min(site.CapacityRps(std::max(std::min(level, RaisedMax(region)), site.limit_level)),
                         draft_.kept_rps[region] + site.import_max_rps);
    }
    return served;
  }

  // The lowest level at which the members hold all that is theirs; the highest allowed if none does.
  double CommonLevel(const std::vector<RegionId>& members) const {
    double needed = 0;
    for (const RegionId region : members) needed += draft_.kept_rps[region] + draft_.imported_rps[region];
    double high = kFullLevel;
    for (const RegionId region : members) high = std::max(high, RaisedMax(region));
    if (ServedAt(members, high) <= needed) return high;
    double low = 0;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = (low + high) / 2;
      (ServedAt(members, middle) >= needed ? high : low) = middle;
    }
    return high;
  }

  // Refuses `rps` of the members' own requests, which must be at home; returns how much was refused.
  double Shed(const std::vector<RegionId>& members, double rps) {
    double left = rps;
    for (std::size_t p = tier_.priorities.size(); p-- > 0 && left > 0;) {
      double offered = 0;
      for (const RegionId region : members) offered += Sheddable(region, p);
      if (offered <= 0) continue;
      const double share = std::min(1.0, left / offered);
      for (const RegionId region : members) {
        const double refused = share * Sheddable(region, p);
        draft_.shed_rps[region][p] += refused;
        draft_.kept_rps[region] -= refused;
      }
      left -= share * offered;
    }
    if (left > 0) left = DropTraces(members, left);
    return rps - left;
  }

  double Sheddable(RegionId region, std::size_t priority) const {
    if (draft_.sites[region].frozen) return 0;
    const double own = draft_.sites[region].demand_rps[priority] - draft_.shed_rps[region][priority];
    return std::clamp(own, 0.0, std::max(0.0, draft_.kept_rps[region]));
  }

  // What is left belongs to no priority: a trace (home.h), or rounding.
  double DropTraces(const std::vector<RegionId>& members, double rps) {
    for (const RegionId region : members) {
      if (!draft_.Hot(region) || rps <= 0) continue;
      const double drop = std::min(rps, draft_.ExcessRps(region));
      draft_.kept_rps[region] -= drop;
      rps -= drop;
    }
    return rps;
  }

  void Report(RegionId worst, std::size_t members, double level, double excess_rps, double shed_rps) {
    constexpr double kWorthTellingRps = 1e-4;
    if (excess_rps < kWorthTellingRps) return;
    findings_.push_back(
        {Finding::Kind::kOverloaded, worst,
         shed_rps > 0 ? absl::StrCat("demand is above all that ", members, " regions can serve: ", shed_rps,
                                     " jobs/s shed, least important first")
                      : absl::StrCat("every region in reach is at the threshold: ", Filled(members, level),
                                     level > kFullLevel ? ", their lines refuse what comes too late" : "")});
  }

  std::string Filled(std::size_t members, double level) const {
    if (tier_.isolation() == Isolation::kLocalFirst && !homeless_) return "what does not fit stays at home";
    return absl::StrCat(members, " regions filled to level ", level);
  }

  const Reach& reach_;
  const Tier& tier_;
  Draft& draft_;
  std::vector<Finding>& findings_;
  std::vector<RegionId> everybody_;
  IdVector<RegionId, double> import_max_rps_;  // as they were
  bool homeless_ = false;                      // whom Relieve relieves
};

}  // namespace

void ShareFairly(const Reach& reach, const Tier& tier, Draft& draft, std::vector<Finding>& findings) {
  FairShare(reach, tier, draft, findings).Run();
}

}  // namespace ringway::planner
