// Simulated fleets record their lives as the daemons do: whatever the seed suite does to them, each journal
// is lived again bit for bit, and a run that is recorded is the run.
#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/journal/replay.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "router/journal/replay.h"
#include "sim/journals/journals.h"
#include "sim/simulation.h"
#include "tests/journal/folder.h"
#include "tests/sim/random_world.h"
#include "tests/sim/run_fingerprint.h"
#include "tests/sim/suite_seeds.h"
#include "tests/sim/wire/wire_of.h"
#include "topology/topology.h"
#include "worker/journal/replay.h"

namespace ringway::sim {
namespace {

using journal::Folder;
using testing::HasSubstr;

// Some of them focused.
constexpr Seeds kOwnSeeds{19, 34};
// A ring in which the longest life of any seed has room.
constexpr std::uint64_t kAll = std::uint64_t{4} << 30;

absl::StatusOr<std::shared_ptr<const Fleet>> ReadFleet(const std::string& text) {
  const auto topology = ParseTopology(text, "the journal's topology");
  if (!topology.ok()) return topology.status();
  return topology->fleet;
}

// What a replay says of any program's journal.
struct Replayed {
  std::uint64_t lives = 0;  // of a controller: not counted
  std::uint64_t events = 0;
  std::uint64_t different = 0;
  std::uint64_t cut = 0;  // torn segments, holes and gaps
  std::string first_difference;
};

Replayed OfController(const std::string& journal) {
  const auto report = controller::Replay(journal, ReadFleet);
  if (!report.ok()) return {.different = 1, .first_difference = std::string(report.status().message())};
  return {.events = report->events,
          .different = report->tables_different + report->checkpoints_different,
          .cut = report->holes,
          .first_difference = report->first_difference};
}

Replayed Replay(const Journals::Recorded& program) {
  if (program.program == Journals::kController) return OfController(program.journal);
  const auto report = absl::StartsWith(program.program, "router") ? router::Replay(program.journal)
                                                                  : worker::Replay(program.journal);
  if (!report.ok()) return {.different = 1, .first_difference = std::string(report.status().message())};
  return {.lives = report->lives,
          .events = report->events,
          .different = report->different,
          .cut = report->torn + report->gaps,
          .first_difference = report->first_difference};
}

std::unique_ptr<Journals> Open(const JournalSpec& spec, const Scenario& scenario) {
  auto journals = Journals::Open(spec, scenario);
  EXPECT_TRUE(journals.ok()) << journals.status();
  return journals.ok() ? *std::move(journals) : nullptr;
}

// A world of the seed suite, recorded; what it was told goes through `tap`, if there is one.
std::vector<Journals::Recorded> Record(const std::shared_ptr<const Scenario>& scenario,
                                       const JournalSpec& spec,
                                       const std::function<std::unique_ptr<Tap>(Tap&)>& between = nullptr) {
  const std::unique_ptr<Journals> journals = Open(spec, *scenario);
  if (journals == nullptr) return {};
  const std::unique_ptr<Tap> tap = between ? between(*journals) : nullptr;
  const std::unique_ptr<Wire> wires[] = {WireOf(*scenario), WireOf(*scenario)};
  Simulation recorded(scenario, {}, wires[0].get(), tap != nullptr ? tap.get() : journals.get());
  recorded.Run();
  Simulation alone(scenario, {}, wires[1].get());
  alone.Run();
  EXPECT_EQ(Fingerprint(recorded), Fingerprint(alone)) << "seed " << scenario->seed;
  const absl::Status closed = journals->Close();
  EXPECT_TRUE(closed.ok()) << closed;
  return journals->Programs();
}

TEST(JournalSeeds, WhatIsRecordedIsLivedAgainBitForBit) {
  std::map<std::string, std::uint64_t> events, lives;  // by the first letters of a program
  const Seeds seeds = WantedSeeds(kOwnSeeds);
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const Folder folder;
    for (const Journals::Recorded& program :
         Record(WorldOf(seed), {.directory = folder, .bytes_max = kAll})) {
      const Replayed replayed = Replay(program);
      const std::string who = program.program + " of seed " + std::to_string(seed);
      EXPECT_EQ(replayed.different, 0u) << who << ": " << replayed.first_difference;
      EXPECT_EQ(replayed.events, program.events) << who;
      EXPECT_EQ(replayed.cut, 0u) << who;
      if (program.program != Journals::kController) {
        EXPECT_EQ(replayed.lives, program.lives) << who;
      }
      events[program.program.substr(0, 6)] += program.events;
      lives[program.program.substr(0, 6)] += program.lives - 1;
    }
    if (HasFailure()) return;
  }
  if (seeds.last - seeds.first < kOwnSeeds.last - kOwnSeeds.first) GTEST_SKIP() << "of all of them";
  for (const char* who : {"contro", "router", "worker"}) {
    EXPECT_GT(events[who], 10'000u) << who;
    EXPECT_GT(lives[who], 5u) << who << ": some die and come again";
    RecordProperty(std::string(who) + "_events", std::to_string(events[who]));
  }
}

// Small rings, in which few lives have room: each segment begins with what the machine has become by then,
// and the replay of the one before comes to the same.
// Returns the events for which there was no room.
std::uint64_t ExpectLastOf(const JournalSpec& spec, const std::shared_ptr<const Scenario>& scenario) {
  std::uint64_t dropped = 0;
  int within_lives = 0;
  for (const Journals::Recorded& program : Record(scenario, spec)) {
    const Replayed replayed = Replay(program);
    EXPECT_EQ(replayed.different, 0u) << program.program << ": " << replayed.first_difference;
    EXPECT_LE(replayed.events, program.events) << program.program;
    EXPECT_EQ(replayed.cut, 0u) << program.program;
    dropped += program.events - replayed.events;
    const auto segments = *runtime::ListSegments(program.journal);
    within_lives += segments.size() > program.lives;
    std::uint64_t bytes = 0;
    for (const runtime::SegmentFile& segment : segments) bytes += segment.bytes;
    EXPECT_LE(bytes, spec.bytes_max) << program.program;
  }
  EXPECT_GT(within_lives, 0) << "no segment begins within a life";
  return dropped;
}

TEST(JournalSeeds, TheLastOfALongRunIsThereAndItsCheckpointsAgree) {
  std::uint64_t dropped[3] = {};
  for (const std::uint64_t seed : {3, 25}) {
    const auto scenario = WorldOf(seed);
    const Folder folders[3];
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    dropped[0] +=
        ExpectLastOf({.directory = folders[0], .bytes_max = 100 << 10, .only = {"routers"}}, scenario);
    dropped[1] +=
        ExpectLastOf({.directory = folders[1], .bytes_max = 30 << 10, .only = {"workers"}}, scenario);
    dropped[2] +=
        ExpectLastOf({.directory = folders[2], .bytes_max = 100 << 10, .only = {"controller"}}, scenario);
  }
  for (const std::uint64_t events : dropped) EXPECT_GT(events, 0u) << "no ring is full";
}

// What is told of one program is changed on its way into the journal.
class Bent final : public Tap {
 public:
  explicit Bent(Tap& journals) : journals_(journals) {}
  void Born(RouterId router, Time now, const router::RouterSettings& settings,
            const router::RouterMachine& machine) override {
    journals_.Born(router, now, settings, machine);
  }
  void Born(WorkerId worker, Time now, const WorkerSettings& settings, const WorkerNode& node) override {
    journals_.Born(worker, now, settings, node);
  }
  void ControllerBorn(const std::shared_ptr<const Fleet>& file) override { journals_.ControllerBorn(file); }
  void Died(RouterId router) override { journals_.Died(router); }
  void Died(WorkerId worker) override { journals_.Died(worker); }
  void ControllerDied() override { journals_.ControllerDied(); }
  // A router is told to have done less than it did.
  void Stepped(RouterId router, Time now, const router::RouterEvent& event,
               const std::vector<router::RouterAction>& actions) override {
    std::vector<router::RouterAction> told = actions;
    if (router == RouterId(0) && !actions.empty() && ++steps_ == kBentStep) told.pop_back();
    journals_.Stepped(router, now, event, told);
  }
  void Acts(WorkerId worker, const WorkerAction& action) override { journals_.Acts(worker, action); }
  // A worker is told to have heard of another deadline than it did.
  void Stepped(WorkerId worker, Time now, const WorkerEvent& event) override {
    WorkerEvent told = event;
    auto* offered = std::get_if<AttemptOffered>(&told);
    const bool bends = worker == WorkerId(0) && offered != nullptr && ++offers_ == kBentStep;
    if (bends) offered->offer.deadline = now - Seconds(1);
    journals_.Stepped(worker, now, told);
  }
  void ControllerSteps(Time now, const controller::ControllerEvent& event,
                       const controller::ControllerMachine& machine) override {
    journals_.ControllerSteps(now, event, machine);
  }
  // A controller is told to have sent another table than it did.
  void ControllerStepped(Time now, const std::vector<controller::ControllerAction>& actions,
                         const controller::ControllerMachine& machine) override {
    std::vector<controller::ControllerAction> told = actions;
    for (controller::ControllerAction& action : told) {
      auto* sent = std::get_if<controller::SendTable>(&action);
      if (sent == nullptr || sent->stream || ++tables_ != 2) continue;
      RoutingTable table = *sent->table;
      ++table.version.version;
      sent->table = std::make_shared<const RoutingTable>(std::move(table));
    }
    journals_.ControllerStepped(now, told, machine);
  }

 private:
  static constexpr int kBentStep = 10;
  Tap& journals_;
  int steps_ = 0, offers_ = 0, tables_ = 0;
};

TEST(JournalSeeds, WhatWasOtherwiseIsFound) {
  const Folder folder;
  const auto bend = [](Tap& journals) { return std::make_unique<Bent>(journals); };
  std::vector<std::string> different;
  for (const Journals::Recorded& program : Record(RandomScenario(3), {.directory = folder}, bend)) {
    const Replayed replayed = Replay(program);
    if (replayed.different > 0) different.push_back(program.program + ": " + replayed.first_difference);
  }
  EXPECT_THAT(different, testing::ElementsAre(AllOf(HasSubstr("controller: table"), HasSubstr("differently")),
                                              AllOf(HasSubstr("router-000000: "), HasSubstr("they differ")),
                                              AllOf(HasSubstr("worker-000000: "), HasSubstr("they differ"))));
}

TEST(JournalsTest, OneRegionOrOneProgramMayBeRecorded) {
  const auto scenario = RandomScenario(3);
  const std::string region = scenario->fleet->world.regions[RegionId(1)].name;
  const Folder folder;
  const auto programs = Record(scenario, {.directory = folder, .only = {region, "router-000000"}});
  const auto routers = Simulation::PlaceRouters(*scenario);
  const auto workers = Simulation::PlaceWorkers(*scenario, routers);
  const auto here = [&](RegionId place) { return place == RegionId(1); };
  const auto expected =
      1 + std::count_if(routers.begin(), routers.end(), here) +
      std::count_if(workers.begin(), workers.end(), [&](const WorkerPlace& w) { return here(w.region); });
  EXPECT_EQ(programs.size(), static_cast<std::size_t>(expected));
  EXPECT_EQ(programs.front().program, "router-000000");
}

std::string WhyNot(const JournalSpec& spec, const Scenario& scenario) {
  return std::string(Journals::Open(spec, scenario).status().message());
}

TEST(JournalsTest, WhatCannotBeRecordedIsSaidWithTheRemedy) {
  const auto scenario = RandomScenario(3);
  const Folder folder;
  EXPECT_THAT(WhyNot({.directory = folder, .only = {"atlantis"}}, *scenario),
              AllOf(HasSubstr("atlantis"), HasSubstr("--journal-of"), HasSubstr("router-000000 to")));

  std::ofstream(folder.path() + "/file") << "something";
  EXPECT_THAT(WhyNot({.directory = folder}, *scenario), HasSubstr("is not empty"));
  EXPECT_THAT(WhyNot({.directory = folder.path() + "/file/below"}, *scenario),
              HasSubstr("cannot be written"));

  Scenario large = *scenario;
  auto fleet = std::make_shared<Fleet>(*large.fleet);
  fleet->tiers[TierId(0)].regions[RegionId(0)].workers = Journals::kProgramsMax;
  large.fleet = fleet;
  EXPECT_THAT(WhyNot({.directory = folder.path() + "/large"}, large),
              AllOf(HasSubstr("more than the 500"), HasSubstr("--journal-of")));

  fleet->tiers[TierId(0)].route.overload_threshold = 2;
  EXPECT_THAT(WhyNot({.directory = folder.path() + "/out-of-range", .only = {"controller"}}, large),
              AllOf(HasSubstr("cannot be written as a topology"), HasSubstr("overloadThreshold")));
}

// A checkpoint takes more than its part of so small a ring.
TEST(JournalsTest, WhatDoesNotFitIsAGap) {
  const auto scenario = RandomScenario(3);
  const Folder folder;
  const auto journals =
      Open({.directory = folder, .bytes_max = 64 << 10, .only = {"router-000000"}}, *scenario);
  ASSERT_NE(journals, nullptr);
  Simulation run(scenario, {}, nullptr, journals.get());
  run.Run();
  EXPECT_THAT(std::string(journals->Close().message()), AllOf(HasSubstr("gaps"), HasSubstr("router-000000")));
}

}  // namespace
}  // namespace ringway::sim
