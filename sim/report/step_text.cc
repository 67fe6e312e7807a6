#include "sim/report/step_text.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::sim {
namespace {

struct Words {
  const Fleet& fleet;

  std::string In(const RegionSet& regions) const {
    if (regions.empty()) return "everywhere";
    std::string text = fleet.world.regions[regions.front()].name;
    if (regions.size() > 1) absl::StrAppend(&text, " and ", regions.size() - 1, " more");
    return text;
  }
  std::string operator()(const KillWorkers& t) const {
    return absl::StrFormat("%.0f %% of workers dead: %s", 100 * t.share, In(t.regions));
  }
  std::string operator()(const KillRouters& t) const {
    return absl::StrCat(t.count, " routers dead: ", In(t.regions));
  }
  std::string operator()(const RestartRouters& t) const {
    return absl::StrCat(t.count, " routers drain and restart: ", In(t.regions));
  }
  std::string operator()(const KillLeaders& t) const {
    return absl::StrCat("ledger leader dead: ", In(t.regions));
  }
  std::string operator()(const KillRegion& t) const { return absl::StrCat("region dead: ", In(t.regions)); }
  std::string operator()(const KillController& t) const {
    return t.graceful ? "controller stopped" : "controller dead";
  }
  std::string operator()(const OrderRouters& t) const {
    return absl::StrFormat("routers told to drain %.0f %% of workers and to cancel %d jobs: %s",
                           100 * t.share, t.cancel, In(t.regions));
  }
  std::string operator()(const DrainRegion& t) const {
    return absl::StrCat("drained: ", In(t.regions), t.share < 1 ? absl::StrCat(", share ", t.share) : "",
                        t.expires ? ", expires by itself" : "");
  }
  std::string operator()(const Partition& t) const {
    return absl::StrCat("cut off: ", In(t.from), " from ", In(t.to));
  }
  std::string operator()(const ExtraDelay& t) const {
    return absl::StrFormat("+%.0f ms RTT: %s", t.rtt_ms, In(t.from));
  }
  std::string operator()(const SlowWorkers& t) const {
    return absl::StrFormat("%.0f %% of workers %.3g times slower: %s", 100 * t.share, t.factor,
                           In(t.regions));
  }
  std::string operator()(const DrainWorkers& t) const {
    return absl::StrFormat("%.0f %% of workers drained: %s", 100 * t.share, In(t.regions));
  }
  std::string operator()(const WrongTier& t) const {
    return absl::StrFormat("%.0f %% of workers restarted with a wrong tier: %s", 100 * t.share,
                           In(t.regions));
  }
  std::string operator()(const LoseWrites& t) const {
    return absl::StrCat(
        t.wiped ? "disks wiped, and nothing written is kept" : "nothing written to disk is kept",
        t.controller ? ", of the controller" : "",
        t.routers ? absl::StrCat(", of routers: ", In(t.regions)) : "");
  }
  std::string operator()(const SetClocksBack& t) const {
    return absl::StrFormat("clocks of %.0f %% of workers set back by %.3g s: %s", 100 * t.share, t.by_s,
                           In(t.regions));
  }
  std::string operator()(const Upgrade& t) const {
    return absl::StrCat(t.back ? "back to the release before:" : "upgraded:", t.routers ? " routers" : "",
                        t.workers ? " workers" : "", t.controller ? " controller" : "",
                        t.routers || t.workers ? absl::StrCat(": ", In(t.regions)) : "");
  }
  std::string operator()(const Sinkhole& t) const {
    return absl::StrCat(t.count, " failing workers: ", In(t.regions));
  }
  std::string operator()(const StallWorkers& t) const {
    return absl::StrFormat("%.0f %% of workers stopped: %s", 100 * t.share, In(t.regions));
  }
  std::string operator()(const PauseRouters& t) const {
    return absl::StrCat(t.count, " routers stopped: ", In(t.regions));
  }
  std::string operator()(const BreakStreams& t) const {
    return absl::StrFormat("%.0f %% of the routers' streams break: %s%s", 100 * t.share, In(t.regions),
                           t.late_s > 0 ? absl::StrFormat(", seen %.3g s late", t.late_s) : "");
  }
  std::string operator()(const FailJobs& t) const {
    return absl::StrCat("each worker fails ", t.count, " jobs: ", In(t.regions));
  }
  std::string operator()(const BadJobs& t) const {
    return absl::StrFormat("%.0f %% of jobs fail at any worker: %s", 100 * t.share, In(t.regions));
  }
  std::string operator()(const ScaleDemand& t) const {
    return absl::StrFormat("demand x%.3g: %s", t.factor, In(t.regions));
  }
  std::string operator()(const FreezeMetrics& t) const {
    return absl::StrCat("metrics frozen: ", In(t.regions));
  }
  std::string operator()(const SetThreshold& t) const {
    return absl::StrFormat("threshold of %s set to %.3g", fleet.tiers[t.tier].name, t.value);
  }
  std::string operator()(const LoadTopology& t) const { return absl::StrCat("topology loaded: ", t.file); }
};

}  // namespace

std::string TextOf(const Fault& fault, const Fleet& fleet) { return std::visit(Words{fleet}, fault); }

}  // namespace ringway::sim
