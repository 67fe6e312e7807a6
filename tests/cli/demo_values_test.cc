// The parts of the demo that are values: script, traffic, tally, panel, verdict.
#include <cmath>

#include "cli/demo/panel.h"
#include "cli/demo/script.h"
#include "cli/demo/tally.h"
#include "cli/demo/traffic.h"
#include "cli/demo/verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sim/files/scenario_file.h"
#include "sim/simulation.h"
#include "topology/topology.h"

namespace ringway::demo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Fleet& LocalFleet() {
  static const Topology topology = *LoadTopology(RINGWAY_SOURCE_DIR "/topology/local.yaml");
  return *topology.fleet;
}

Script LocalScript(RouteChoice route = RouteChoice::kBoth) {
  return *MakeScript(LocalFleet(), {.route = route, .length_s = 60});
}

TEST(ScriptTest, PhasesFillTheTimeWithoutGaps) {
  for (const RouteChoice route : {RouteChoice::kRingway, RouteChoice::kGlobal, RouteChoice::kBoth}) {
    const Script script = LocalScript(route);
    double at_s = 0;
    for (const Phase& phase : script.phases) {
      EXPECT_EQ(phase.begins_s, at_s);
      EXPECT_GT(phase.length_s, 2);
      EXPECT_EQ(script.At(at_s + 0.1).kind, phase.kind);
      at_s = phase.ends_s();
    }
    EXPECT_NEAR(script.length_s(), 60, 1e-9);
    EXPECT_EQ(script.At(1e9).kind, script.phases.back().kind);
  }
  EXPECT_TRUE(LocalScript(RouteChoice::kGlobal).phases.front().global);
  EXPECT_FALSE(LocalScript(RouteChoice::kRingway).phases.back().global);
  EXPECT_TRUE(LocalScript(RouteChoice::kBoth).phases.back().global);
}

TEST(ScriptTest, TheRegionWithTheMostUsersIsMadeHot) {
  EXPECT_EQ(LocalFleet().world.regions[LocalScript().hot].name, "us-east-1");
}

TEST(ScriptTest, RefusesAFleetThatOneMachineCannotRun) {
  const Topology aws = *LoadTopology(RINGWAY_SOURCE_DIR "/topology/aws.yaml");
  EXPECT_THAT(MakeScript(*aws.fleet, {}).status().message(), HasSubstr("2 to 8 regions"));
}

TEST(ScriptTest, PhasesReachTheLoadThatTheyTell) {
  const Script script = LocalScript();
  const Phase& hot = script.phases[1];
  const Phase& spike = script.phases[2];
  const auto load = [&](const Phase& phase, RegionId region) {
    const double middle_s = phase.begins_s + phase.length_s / 2;
    return kBaseLoad * DayFactor(LocalFleet().world.regions[region], middle_s) * phase.factors[region];
  };
  for (std::size_t i = 0; i < LocalFleet().world.regions.size(); ++i) {
    EXPECT_NEAR(load(spike, RegionId(i)), 0.88, 1e-9);
    if (RegionId(i) == script.hot) {
      EXPECT_NEAR(load(hot, RegionId(i)), 1.3, 1e-9);
    } else {
      EXPECT_EQ(hot.factors[RegionId(i)], 1);
    }
  }
}

// Mean rate of each region over a phase, from the arrivals themselves.
std::vector<double> Rates(Traffic traffic, const Script& script, std::size_t phase, double length_s) {
  std::vector<double> counts(script.base_rps.size());
  Phase long_phase = script.phases[phase];
  long_phase.begins_s = 0;
  traffic.Enter(long_phase);
  double last_s = 0;
  for (; traffic.next().at_s < length_s; traffic.Pop()) {
    EXPECT_GE(traffic.next().at_s, last_s) << "arrivals come in order";
    last_s = traffic.next().at_s;
    counts[traffic.next().region.index()] += 1 / length_s;
  }
  return counts;
}

TEST(TrafficTest, RatesFollowBaseAndPhase) {
  const Script script = LocalScript();
  const Traffic traffic(LocalFleet(), script, nullptr, 3);
  // Whole days, so that the day curve averages out.
  const double length_s = 20 * kDaySeconds;
  const std::vector<double> calm = Rates(traffic, script, 0, length_s);
  const std::vector<double> hot = Rates(traffic, script, 1, length_s);
  for (std::size_t i = 0; i < calm.size(); ++i) {
    const double base_rps = script.base_rps[RegionId(i)];
    EXPECT_NEAR(calm[i] / base_rps, 1, 0.02);
    EXPECT_NEAR(hot[i] / base_rps / script.phases[1].factors[RegionId(i)], 1, 0.03);
  }
}

TEST(TrafficTest, ATraceGivesItsShapeAtTheRegionsRate) {
  const Script script = LocalScript();
  // All arrivals in the first tenth of the trace.
  sim::Trace trace;
  for (int i = 0; i < 1000; ++i) trace.offsets_s.push_back(i * 0.01);
  trace.offsets_s.push_back(99.5);
  const Traffic traffic(LocalFleet(), script, &trace, 3);
  const std::vector<double> calm = Rates(traffic, script, 0, 2000);
  for (std::size_t i = 0; i < calm.size(); ++i) EXPECT_NEAR(calm[i] / script.base_rps[RegionId(i)], 1, 0.05);
}

// What the users of a simulation send: when, where, and how long it takes.
class Sent : public sim::Observer {
 public:
  void OnSubmitted(Time at, const sim::Submission& submission) override {
    arrivals.push_back({ToDoubleSeconds(at - UnixEpoch()), submission.region, submission.service_s});
  }
  std::vector<Arrival> arrivals;
};

TEST(TrafficTest, AScenarioGivesRealProgramsWhatItGivesTheSimulator) {
  const auto scenario = sim::LoadScenario(RINGWAY_SOURCE_DIR "/sim/live/demo.yaml");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  Sent sent;
  sim::Simulation simulation(std::make_shared<const sim::Scenario>(*scenario));
  simulation.Watch(&sent);
  simulation.Run([](double now_s) { return now_s < 20; });
  ASSERT_GT(sent.arrivals.size(), 100u);

  const Script script = *ScriptOf(*scenario);
  Traffic traffic(*scenario->fleet, script, scenario->service[TierId(0)].law, scenario->seed);
  traffic.Enter(script.phases[0]);
  for (const Arrival& arrival : sent.arrivals) {
    EXPECT_NEAR(traffic.next().at_s, arrival.at_s, 1e-6);
    EXPECT_EQ(traffic.next().region, arrival.region);
    EXPECT_DOUBLE_EQ(traffic.next().service_s, arrival.service_s);
    traffic.Pop();
  }
}

TEST(ScriptTest, ATraceThatTellsMoreThanTimesIsRefused) {
  sim::Scenario scenario;
  scenario.fleet = std::make_shared<const Fleet>(LocalFleet());
  scenario.service.resize(1);
  sim::TraceArrivals law{.offsets_s = std::make_shared<const std::vector<double>>(std::vector<double>{0, 1})};
  const auto with = [&](const sim::RecordedJob& job) {
    law.jobs = std::make_shared<const std::vector<sim::RecordedJob>>(2, job);
    scenario.demand = {{.tier = TierId(0), .region = RegionId(0), .law = law}};
    return ScriptOf(scenario).status();
  };
  EXPECT_EQ(with({.tenant = 1}), absl::OkStatus());
  for (const sim::RecordedJob& job :
       {sim::RecordedJob{.service_s = 2}, sim::RecordedJob{.deadline_s = 2}, sim::RecordedJob{.size = 2}}) {
    EXPECT_NE(with(job).message().find("own service time, size or deadline"), absl::string_view::npos);
  }
}

TEST(TrafficTest, SameSeedSameArrivals) {
  const Script script = LocalScript();
  Traffic a(LocalFleet(), script, nullptr, 3), b(LocalFleet(), script, nullptr, 3),
      c(LocalFleet(), script, nullptr, 4);
  int equal = 0;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(a.next().at_s, b.next().at_s);
    EXPECT_EQ(a.next().region, b.next().region);
    equal += a.next().at_s == c.next().at_s;
    a.Pop();
    b.Pop();
    c.Pop();
  }
  EXPECT_EQ(equal, 0);
}

JobRecord Job(std::size_t phase, std::size_t source, std::size_t served, double due_s, double took_s) {
  JobRecord record;
  record.phase = phase;
  record.source = RegionId(source);
  record.served = RegionId(served);
  record.done = true;
  record.outcome = "done";
  record.due_s = due_s;
  record.ended_s = due_s + took_s;
  record.network_s = source == served ? 0 : 0.1;
  record.offers = 1;
  return record;
}

TEST(TallyTest, CountsByPhaseAndRegionAndForgetsInTheWindow) {
  Tally tally(2, 3);
  tally.Add(Job(0, 0, 0, 1, 0.5));
  tally.Add(Job(0, 0, 1, 2, 0.5));
  tally.Add(Job(1, 2, 2, 50, 0.5));
  JobRecord failed = Job(1, 2, 2, 51, 1);
  failed.done = false;
  failed.outcome = "shed";
  tally.Add(failed);
  EXPECT_EQ(tally.phase(0).jobs, 2u);
  EXPECT_EQ(tally.phase(0).home_share(), 0.5);
  EXPECT_NEAR(tally.phase(0).network_ms_mean(), 50, 1e-9);
  EXPECT_EQ(tally.phase_region(1, RegionId(2)).success(), 0.5);
  EXPECT_EQ(tally.phase_region(1, RegionId(0)).jobs, 0u);
  EXPECT_EQ(tally.all().jobs, 4u);
  EXPECT_EQ(tally.all().outcomes.at("shed"), 1u);
  EXPECT_EQ(tally.Recent(RegionId(0), 52).jobs, 0u) << "long ago";
  EXPECT_EQ(tally.Recent(RegionId(2), 52).jobs, 2u);
  EXPECT_EQ(tally.AwayShare(RegionId(0), 0, 10), 0.5);
  EXPECT_EQ(tally.AwayShare(RegionId(0), 1.5, 10), 1);
  JobRecord spilled = Job(1, 0, 1, 2, 0.5);
  spilled.spilled = true;
  tally.Add(spilled);
  EXPECT_EQ(tally.AwayShare(RegionId(0), 1.5, 10), 0.5) << "the table kept it";
}

TEST(PanelTest, ABarMarksTheThreshold) {
  EXPECT_EQ(LoadBar(0, 0.75), "............|.......");
  EXPECT_EQ(LoadBar(1, 0.75), "############|###....");
  EXPECT_EQ(LoadBar(9, 0.75), "############|#######");
}

TEST(PanelTest, LocalTimeFollowsTheOffset) {
  Region tokyo{.name = "t", .title = "", .utc_offset_minutes = 540};
  EXPECT_EQ(LocalTime(tokyo, 0), "00:00") << "15:00 UTC";
  EXPECT_EQ(LocalTime(tokyo, kDaySeconds / 2), "12:00");
  Region lima{.name = "l", .title = "", .utc_offset_minutes = -330};
  EXPECT_EQ(LocalTime(lima, 0), "09:30");
}

TEST(PanelTest, ShowsTheTableWithItsReasons) {
  const Script script = LocalScript();
  Tally tally(script.phases.size(), LocalFleet().world.regions.size());
  tally.Add(Job(1, 0, 1, 20, 0.5));
  Observation seen;
  seen.table.set_version(7);
  seen.table.add_regions("us-east-1");
  seen.table.add_regions("us-east-2");
  v1::Row* row = seen.table.add_tiers()->add_rows();
  v1::Route* route = row->add_routes();
  route->set_target(1);
  route->set_fraction(0.4);
  route->set_unlock_load(1.3);
  route->set_reason(v1::ROUTE_REASON_OVERLOAD);
  const PanelView view{LocalFleet(), script, tally, seen, 21, 3};
  const std::string text = PanelText(view, false);
  EXPECT_THAT(text, HasSubstr("phase hot"));
  EXPECT_THAT(text, HasSubstr("us-east-1 -> us-east-2  40.0 %  ring 1, home load 1.30  (overload"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(PlainLine(view), HasSubstr("home 0 %, success 100 %"));
  EXPECT_NEAR(PlannedAwayShare(seen.table, "us-east-1"), 1, 1e-9);
}

// A run in which everything went as it should; tests then spoil one thing.
struct Played {
  Fleet fleet = LocalFleet();
  Script script = LocalScript();
  Tally tally{script.phases.size(), LocalFleet().world.regions.size()};
  SettledPlan plan{.from_s = 18, .to_s = 27, .away_share_sum = 0.8, .tables = 2};

  Played() {
    for (std::size_t p = 0; p < script.phases.size(); ++p) {
      for (std::size_t i = 0; i < 400; ++i) Add(p, i);
    }
  }
  void Add(std::size_t p, std::size_t i) {
    const Phase& phase = script.phases[p];
    const std::size_t source = i % 4;
    const bool away = phase.kind == PhaseKind::kHot && source == script.hot.index() && i % 10 < 4;
    std::size_t served = away ? 1 : source;
    if (phase.global) served = (i / 4) % 4;
    const double due_s = phase.begins_s + static_cast<double>(i) / 400 * phase.length_s;
    JobRecord record = Job(p, source, served, due_s, 0.5);
    const RttMatrix& rtt = LocalFleet().world.rtt;
    record.network_s = served == source ? 0 : rtt.ms(RegionId(source), RegionId(served)) / 1000;
    tally.Add(record);
  }
  std::string Short() const {
    std::string names;
    for (const Check& check : Judge(fleet, script, tally, plan)) {
      if (!check.ok) names += check.name + ";";
    }
    return names;
  }
};

TEST(VerdictTest, AGoodRunPassesAndASpoiltOneSaysWhat) {
  EXPECT_EQ(Played().Short(), "");

  Played lost;
  for (int i = 0; i < 10; ++i) {
    JobRecord record = Job(0, 1, 1, 3, 0.5);
    record.done = false;
    record.outcome = "failed";
    lost.tally.Add(record);
  }
  EXPECT_EQ(lost.Short(), "calm: success;");

  Played scattered;
  for (int i = 0; i < 100; ++i) scattered.tally.Add(Job(0, 0, 1, 3, 0.5));
  EXPECT_EQ(scattered.Short(), "calm: served home;");

  Played by_chance;
  for (int i = 0; i < 50; ++i) by_chance.tally.Add(Job(0, 0, 1, 3, 0.5));
  EXPECT_EQ(by_chance.Short(), "") << "89 % of 450 jobs are no less than 90 % of all that could have come";

  Played spilling;
  for (int i = 0; i < 200; ++i) {
    JobRecord record = Job(1, 2, 3, 20, 0.5);
    record.spilled = true;
    spilling.tally.Add(record);
  }
  EXPECT_EQ(spilling.Short(), "") << "on hints one job spills for each idle worker elsewhere";
  spilling.fleet.tiers[TierId(0)].dispatch.spill.idle_hints = false;
  EXPECT_EQ(spilling.Short(), "all: spilled beneath the table;");

  Played lazy;  // the table plans to keep everything, and everything is sent: nobody follows it
  lazy.plan.away_share_sum = 0;
  EXPECT_EQ(lazy.Short(), "hot: the table is followed;");

  Played stuck;  // the plan is to send, but nothing was planned nor sent
  stuck.plan.away_share_sum = 0;
  for (int i = 0; i < 2000; ++i)
    stuck.tally.Add(Job(1, stuck.script.hot.index(), stuck.script.hot.index(), 25, 0.5));
  EXPECT_EQ(stuck.Short(), "hot: us-east-1 sends away;");

  Played storm;
  for (int i = 0; i < 400; ++i) {
    JobRecord record = Job(2, 0, 0, 40, 0.5);
    record.offers = 60;
    storm.tally.Add(record);
  }
  EXPECT_EQ(storm.Short(), "spike: offers a job;");
}

TEST(VerdictTest, TheSummaryComparesWithRoutingEverywhere) {
  const Played run;
  const std::vector<Check> checks = Judge(LocalFleet(), run.script, run.tally, run.plan);
  const std::string text = SummaryText(LocalFleet(), run.script, run.tally, checks, false);
  EXPECT_THAT(text,
              HasSubstr("Routing everywhere against staying home, same traffic: 25.0 % instead of 100.0 %"));
  JsonWriter json;
  WriteSummaryJson(run.script, run.tally, checks, json);
  EXPECT_THAT(json.text(), HasSubstr("\"ok\": true"));
}

}  // namespace
}  // namespace ringway::demo
