#include "sim/study/parameters.h"

#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::sim {
namespace {

// A fleet of one's own to edit.
template <class Edit>
void EditFleet(Scenario& scenario, Edit edit) {
  auto fleet = std::make_shared<Fleet>(*scenario.fleet);
  edit(*fleet);
  scenario.fleet = std::move(fleet);
}

template <class Edit>
void EditTiers(Scenario& scenario, Edit edit) {
  EditFleet(scenario, [&](Fleet& fleet) {
    for (Tier& tier : fleet.tiers) edit(tier);
  });
}

void ScaleLaw(ArrivalLaw& law, double factor) {
  if (auto* poisson = std::get_if<PoissonArrivals>(&law)) {
    poisson->rate_rps *= factor;
  } else if (auto* gamma = std::get_if<GammaArrivals>(&law)) {
    gamma->rate_rps *= factor;
  } else if (auto* mmpp = std::get_if<MmppArrivals>(&law)) {
    mmpp->calm_rps *= factor;
    mmpp->burst_rps *= factor;
  } else if (auto* day = std::get_if<DayCurveArrivals>(&law)) {
    day->mean_rps *= factor;
  } else if (auto* trace = std::get_if<TraceArrivals>(&law)) {
    trace->scale *= factor;
  }
}

void ScaleService(ServiceLaw& law, double factor) {
  if (auto* fixed = std::get_if<FixedService>(&law)) {
    fixed->seconds *= factor;
  } else if (auto* exponential = std::get_if<ExponentialService>(&law)) {
    exponential->mean_s *= factor;
  } else if (auto* lognormal = std::get_if<LogNormalService>(&law)) {
    lognormal->mean_s *= factor;
  } else if (auto* empirical = std::get_if<EmpiricalService>(&law)) {
    for (double& sample : empirical->samples_s) sample *= factor;
  }
}

struct Parameter {
  std::string_view name;
  std::string_view help;
  double min = 0;
  double max = 0;
  void (*set)(Scenario&, double);
};

const Parameter kParameters[] = {
    {"demand", "factor on every arrival rate", 0.001, 1000,
     [](Scenario& s, double v) {
       for (DemandSpec& demand : s.demand) ScaleLaw(demand.law, v);
     }},
    {"workers", "factor on the workers of every region, rounded up", 0.001, 1000,
     [](Scenario& s, double v) {
       EditTiers(s, [v](Tier& tier) {
         for (TierRegion& region : tier.regions) {
           region.workers = static_cast<int>(std::ceil(region.workers * v - 1e-9));
         }
       });
     }},
    {"service", "factor on every service time, the planner's prior included", 0.001, 1000,
     [](Scenario& s, double v) {
       for (TierService& service : s.service) ScaleService(service.law, v);
       for (DemandSpec& demand : s.demand) {
         if (auto* trace = std::get_if<TraceArrivals>(&demand.law)) trace->service_factor *= v;
       }
       EditTiers(s, [v](Tier& tier) { tier.service_mean *= v; });
     }},
    {"threshold", "overload threshold of every tier", 0.01, 1,
     [](Scenario& s, double v) { EditTiers(s, [v](Tier& tier) { tier.route.overload_threshold = v; }); }},
    {"ledger", "1: dispatch by ledger, 0: by probing", 0, 1,
     [](Scenario& s, double v) {
       EditTiers(s, [v](Tier& tier) {
         tier.dispatch.mode = v >= 0.5 ? DispatchMode::kLedger : DispatchMode::kProbe;
       });
     }},
    {"probes", "workers tried before a router sleeps", 1, 1000,
     [](Scenario& s, double v) {
       EditTiers(s, [v](Tier& tier) { tier.dispatch.probes_per_round = static_cast<int>(v); });
     }},
    {"delayShare", "of jobs that are delayed when everything is busy", 0, 1,
     [](Scenario& s, double v) { EditTiers(s, [v](Tier& tier) { tier.dispatch.delay.share_max = v; }); }},
    {"delaySpan", "the longest scheduling delay, in seconds", 0, 60,
     [](Scenario& s, double v) { EditTiers(s, [v](Tier& tier) { tier.dispatch.delay.span = Seconds(v); }); }},
    {"budget", "offers beyond the first that an arriving job pays for", 0, 1e9,
     [](Scenario& s, double v) { EditTiers(s, [v](Tier& tier) { tier.dispatch.budget.share = v; }); }},
    {"backoffCap", "the longest backoff, as a share of the mean service time", 0, 100,
     [](Scenario& s, double v) {
       EditTiers(s, [v](Tier& tier) { tier.dispatch.backoff.cap_of_service = v; });
     }},
    {"deadline", "of every tier, in seconds", 0.001, 1e6,
     [](Scenario& s, double v) { EditTiers(s, [v](Tier& tier) { tier.deadline = Seconds(v); }); }},
    {"resubmit", "chance that an unserved user tries again", 0, 1,
     [](Scenario& s, double v) { s.users.resubmit_share = v; }},
    {"routers", "in every region", 1, 1000,
     [](Scenario& s, double v) { s.routers_per_region = static_cast<int>(v); }},
    {"rtt", "factor on every round-trip time between regions", 0, 1000,
     [](Scenario& s, double v) {
       EditFleet(s, [v](Fleet& fleet) {
         const std::size_t regions = fleet.world.regions.size();
         for (std::size_t i = 0; i < regions; ++i) {
           for (std::size_t j = 0; j < regions; ++j) {
             const RegionId from(i), to(j);
             if (i != j) fleet.world.rtt.Set(from, to, fleet.world.rtt.ms(from, to) * v);
           }
         }
       });
     }},
    {"epoch", "of the controller, and of reports to it, in seconds", 0.1, 3600,
     [](Scenario& s, double v) { s.epoch_period_s = s.report_period_s = v; }},
    {"duration", "of the run, in seconds", 1, 3.2e7, [](Scenario& s, double v) { s.duration_s = v; }},
};

}  // namespace

std::vector<std::string_view> ParameterNames() {
  std::vector<std::string_view> names;
  for (const Parameter& p : kParameters) names.push_back(p.name);
  return names;
}

std::string ParameterHelp() {
  std::string text;
  for (const Parameter& p : kParameters) absl::StrAppendFormat(&text, "  %-11s %s\n", p.name, p.help);
  return text;
}

absl::Status SetParameter(std::string_view name, double value, Scenario& scenario) {
  for (const Parameter& p : kParameters) {
    if (p.name != name) continue;
    if (!(value >= p.min && value <= p.max)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: found %g; allowed: %g to %g", p.name, value, p.min, p.max));
    }
    p.set(scenario, value);
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat("no parameter is called '", std::string(name), "'; there are:\n", ParameterHelp()));
}

}  // namespace ringway::sim
