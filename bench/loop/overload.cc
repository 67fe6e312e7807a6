#include "bench/loop/overload.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "bench/loop/worlds.h"
#include "core/histogram.h"
#include "sim/simulation.h"

namespace ringway::bench {
namespace {

constexpr double kLoad = 0.5;
constexpr double kOverload = 1.46;  // of the whole fleet
constexpr double kDeadlineS = 30;
constexpr double kAtS = 300;
constexpr double kLastsS = 120;

// Jobs submitted while it lasts.
struct Users {
  double ended = 0, served = 0;
  Histogram wait;
  double lost_share() const { return ended > 0 ? 1 - served / ended : 0; }
};

class Payers : public sim::Observer {
 public:
  explicit Payers(RegionId hot) : hot_(hot) {}
  void OnEnded(Time now, const sim::Ending& ending) override {
    const double submitted_s = ToDoubleSeconds(now - ending.latency - UnixEpoch());
    if (submitted_s < kAtS || submitted_s >= kAtS + kLastsS) return;
    Users& users = ending.region == hot_ ? hot : others;
    ++users.ended;
    if (ending.outcome != Outcome::kDone) return;
    ++users.served;
    users.wait.Add(ToDoubleSeconds(ending.wait));
  }
  double lost_share() const { return 1 - (hot.served + others.served) / (hot.ended + others.ended); }
  Users hot, others;

 private:
  RegionId hot_;
};

struct Sizes {
  RegionId biggest{0};
  double workers = 0, biggest_workers = 0;
};

Sizes SizesOf(const Fleet& fleet) {
  Sizes sizes;
  const auto& regions = fleet.tiers[kLoopTier].regions;
  for (RegionId id(0); id != regions.end_id(); id = RegionId(id.index() + 1)) {
    sizes.workers += regions[id].workers;
    if (regions[id].workers <= sizes.biggest_workers) continue;
    sizes.biggest = id;
    sizes.biggest_workers = regions[id].workers;
  }
  return sizes;
}

struct Way {
  const char* name;
  Isolation isolation = Isolation::kLocalFirst;
  DispatchMode mode = DispatchMode::kLedger;
  bool controller = true;
};

Payers Suffer(const Fleet& fleet, const Way& way) {
  auto changed = std::make_shared<Fleet>(fleet);
  Tier& tier = changed->tiers[kLoopTier];
  tier.route.isolation = way.isolation;
  tier.dispatch.mode = way.mode;
  tier.deadline = Seconds(kDeadlineS);
  const Sizes sizes = SizesOf(fleet);
  const double rest = kLoad * (sizes.workers - sizes.biggest_workers);
  const double factor = (kOverload * sizes.workers - rest) / (kLoad * sizes.biggest_workers);
  const std::shared_ptr<sim::Scenario> scenario = Scene(
      std::move(changed),
      {.load = kLoad, .skew = 0, .seed = 13, .duration_s = kAtS + kLastsS + kDeadlineS, .warmup_s = 100});
  scenario->controller = way.controller;
  scenario->steps.push_back(
      {.at_s = kAtS, .lasts_s = kLastsS, .fault = sim::ScaleDemand{{sizes.biggest}, factor}});
  Payers payers(sizes.biggest);
  sim::Simulation simulation(scenario);
  simulation.Watch(&payers);
  simulation.Run();
  return payers;
}

void JudgeWorld(const Fleet& fleet, bool brief, std::vector<Claim>& claims) {
  const Way ways[] = {{"local-first"},
                      {"fill", Isolation::kFill},
                      {"level", Isolation::kLevel},
                      {"no-controller", Isolation::kLocalFirst, DispatchMode::kLedger, false},
                      {"probe-local-first", Isolation::kLocalFirst, DispatchMode::kProbe},
                      {"probe-fill", Isolation::kFill, DispatchMode::kProbe},
                      {"probe-level", Isolation::kLevel, DispatchMode::kProbe}};
  double without_controller = 0, local_first = 0;
  for (const Way& way : ways) {
    const Payers paid = Suffer(fleet, way);
    const std::string cell = absl::StrFormat("overload.%s.%s", fleet.world.name, way.name);
    if (!brief) {
      std::printf("      %-36s lost: others %.4f, hot %.4f, all %.4f; others wait %.3f s, p99 %.2f\n",
                  cell.c_str(), paid.others.lost_share(), paid.hot.lost_share(), paid.lost_share(),
                  paid.others.wait.mean(), paid.others.wait.Quantile(0.99));
    }
    if (way.mode != DispatchMode::kLedger || way.isolation != Isolation::kLocalFirst) continue;
    (way.controller ? local_first : without_controller) = paid.lost_share();
    claims.push_back(AtMost(cell + ".others", 100 * paid.others.lost_share(), 0.1, "% of their jobs lost"));
  }
  const std::string cell = absl::StrFormat("overload.%s.all", fleet.world.name);
  claims.push_back(Figure(cell + ".least", 100 * (1 - 1 / kOverload), "% cannot be served in time"));
  claims.push_back(AtMost(cell, 100 * local_first, 100 * without_controller + 1, "% lost"));
}

}  // namespace

void JudgeOverload(bool quick, bool brief, std::vector<Claim>& claims) {
  JudgeWorld(*Generate({"mix60", 60, 3, 40, 101}), brief, claims);
  if (!quick) JudgeWorld(*Generate({"mix100", 100, 3, 400, 103}), brief, claims);
}

}  // namespace ringway::bench
