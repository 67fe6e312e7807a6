// A world-wide fleet of routers that one process plays, for pictures of the dashboard and for trying it out.
//
//   dashboard_puppets CONTROLLER TOPOLOGY SECONDS
//
// Each region has one router that reports over a real stream, once a second. Demand follows the population of
// the region and the hour there, beginning at kFirstHour of UTC whatever the clock says; requests go where
// the controller's last table says; workers are as busy as what arrives makes them, and each job is done
// after the tier's mean service. So the controller plans for real and everything on the screen follows; only
// jobs and GPUs are missing. Two of the regions get what sets them apart: a launch that makes one hot, and
// one whose workers are partly gone.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/rng.h"
#include "proto/table_codec.h"
#include "tests/controller/test_router.h"
#include "topology/topology.h"

namespace ringway {
namespace {

constexpr double kLoadMean = 0.5;  // of the whole fleet, at its mean hour

constexpr double kFirstHour = 18;  // UTC: evening in Europe, where the launch is
constexpr double kWaitMeanS = 0.02;

// Around 1, highest in the evening.
double HourFactor(const Region& region, double age_s) {
  const double local_h = std::fmod(kFirstHour + age_s / 3600 + region.utc_offset_minutes / 60.0, 24);
  return 1 + 0.62 * std::cos((local_h - 18) / 12 * std::numbers::pi);
}

class Puppets {
 public:
  Puppets(const std::string& controller, std::shared_ptr<const Fleet> fleet) : fleet_(std::move(fleet)) {
    for (const Region& region : fleet_->world.regions) {
      routers_.push_back(
          std::make_unique<controller::TestRouter>(controller, region.name + "/router0", region.name));
      routers_.back()->Hello();
    }
  }

  void Second(double age_s) {
    std::vector<v1::RouterMessage> messages(routers_.size());
    for (TierId tier(0); tier != fleet_->tiers.end_id(); tier = TierId(tier.index() + 1)) {
      AddTier(tier, age_s, messages);
    }
    for (std::size_t r = 0; r < routers_.size(); ++r) {
      v1::Report& report = *messages[r].mutable_report();
      report.set_wire_version(wire::kWireVersion);
      report.set_period_s(1);
      if (const controller::RouterNews news = routers_[r]->news(); !news.tables.empty()) {
        report.set_table_epoch(news.tables.back().epoch());
        report.set_table_version(news.tables.back().version());
        report.set_epoch_seen_max(news.tables.back().epoch());
      }
      routers_[r]->Send(messages[r]);
    }
  }

 private:
  double DemandRps(const Tier& tier, RegionId region, double age_s) {
    double capacity_rps = 0;
    for (const TierRegion& there : tier.regions) capacity_rps += there.workers;
    capacity_rps /= ToDoubleSeconds(tier.service_mean);
    const Region& place = fleet_->world.regions[region];
    const bool launch = place.name == "eu-central-1" && age_s > 40;
    const double wave = 1 + 0.06 * std::sin(age_s / 9 + region.value());
    return kLoadMean * capacity_rps * place.population_share * HourFactor(place, age_s) * wave *
           (launch ? 2.1 : 1);
  }

  void AddTier(TierId id, double age_s, std::vector<v1::RouterMessage>& messages) {
    const Tier& tier = fleet_->tiers[id];
    std::vector<double> arriving(routers_.size());
    const controller::RouterNews news = routers_[0]->news();
    for (std::size_t r = 0; r < routers_.size(); ++r) {
      const double demand = DemandRps(tier, RegionId(r), age_s);
      v1::TierReport& counts = *messages[r].mutable_report()->add_tiers();
      counts.set_tier(tier.name);
      // Fractions of a request are drawn, so that the mean is right.
      const auto whole = [&](double rps) { return static_cast<std::uint64_t>(rps + rng_.Uniform()); };
      for (std::size_t p = 0; p < tier.priorities.size(); ++p) {
        const double share = tier.priorities.size() == 1 ? 1 : (p == 0 ? 0.7 : 0.3);
        counts.add_entered(whole(demand * share));
        for (const auto& [target, fraction] : Routes(news, id, p, r)) {
          v1::Sent& sent = *counts.add_sent();
          sent.set_region(fleet_->world.regions[RegionId(target)].name);
          sent.set_count(whole(demand * share * fraction));
          arriving[target] += demand * share * fraction;
        }
      }
      AddDone(tier, whole(demand), counts);
    }
    for (std::size_t r = 0; r < routers_.size(); ++r)
      AddWorkers(tier, r, arriving[r], *messages[r].mutable_report());
  }

  static void AddDone(const Tier& tier, std::uint64_t jobs, v1::TierReport& counts) {
    const double seconds = static_cast<double>(jobs) * ToDoubleSeconds(tier.service_mean);
    counts.set_done(jobs);
    counts.set_own_done(jobs);
    counts.set_offers(jobs);
    counts.set_ran(jobs);
    counts.set_wait_s_sum(static_cast<double>(jobs) * kWaitMeanS);
    counts.set_service_s_sum(seconds);
    counts.set_held_s_sum(seconds);
  }

  // By the last table; at home without one.
  std::vector<std::pair<std::size_t, double>> Routes(const controller::RouterNews& news, TierId tier,
                                                     std::size_t priority, std::size_t source) const {
    if (!news.tables.empty()) {
      for (const v1::Row& row : news.tables.back().tiers(static_cast<int>(tier.index())).rows()) {
        if (row.priority() != priority || row.source() != source) continue;
        std::vector<std::pair<std::size_t, double>> routes;
        for (const v1::Route& route : row.routes()) routes.emplace_back(route.target(), route.fraction());
        return routes;
      }
    }
    return {{source, 1.0}};
  }

  void AddWorkers(const Tier& tier, std::size_t region, double arriving_rps, v1::Report& report) {
    const int provisioned = tier.regions[RegionId(region)].workers;
    const bool partly_gone = fleet_->world.regions[RegionId(region)].name == "ap-south-1";
    const int alive = partly_gone ? provisioned * 3 / 4 : provisioned;
    const double busy = alive > 0 ? arriving_rps * ToDoubleSeconds(tier.service_mean) / alive : 0;
    for (int w = 0; w < alive; ++w) {
      v1::WorkerReport& worker = *report.add_workers();
      worker.set_name(absl::StrCat(tier.name, "-", w));
      worker.set_tier(tier.name);
      worker.set_address("127.0.0.1:2");
      worker.set_healthy(true);
      worker.set_busy_s(std::min(1.0, busy * (0.97 + 0.06 * rng_.Uniform())));
    }
  }

  std::shared_ptr<const Fleet> fleet_;
  std::vector<std::unique_ptr<controller::TestRouter>> routers_;
  Rng rng_{1};
};

}  // namespace
}  // namespace ringway

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: dashboard_puppets CONTROLLER TOPOLOGY SECONDS\n";
    return 2;
  }
  const auto topology = ringway::LoadTopology(argv[2]);
  if (!topology.ok()) {
    std::cerr << topology.status().message() << "\n";
    return 1;
  }
  ringway::Puppets puppets(argv[1], topology->fleet);
  const absl::Time start = absl::Now();
  for (int second = 0; second < std::atoi(argv[3]); ++second) {
    puppets.Second(second);
    absl::SleepFor(start + absl::Seconds(second + 1) - absl::Now());
  }
  return 0;
}
