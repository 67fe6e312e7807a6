// A canary on disk: a replay over any checkpoint goes on to the bit, and a broken state is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "controller/journal/checkpoint.h"
#include "controller/journal/recorder.h"
#include "controller/journal/replay.h"
#include "controller/wire/canary_codec.h"
#include "runtime/segment.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

namespace fs = std::filesystem;

// Files by the name that stands for their text.
absl::StatusOr<std::shared_ptr<const Fleet>> FileNamed(const std::string& text) {
  auto fleet = MakeFleet({.regions = 3, .tiers = 2, .ledger = true});
  fleet->canary = CanarySpec{.share = 0.25, .period = Seconds(20)};
  if (text == "bad") fleet->tiers[TierId(0)].guard.shed_above = 1;
  if (text == "good") {
    fleet->tiers[TierId(0)].route.overload_threshold = 0.7;
    fleet->tiers[TierId(0)].route.isolation = Isolation::kFill;
    fleet->tiers[TierId(1)].regions[kR1].import_cap_share = 0.3;
  }
  return fleet;
}

// A life in which one file is reverted, one passes and one is promoted.
void Live(Rig& rig, const std::function<void()>& second) {
  rig.Connect();
  const auto load = [&](const char* file) { rig.Send(TopologyLoaded{*FileNamed(file), file}); };
  for (int i = 0; i < 160; ++i) {
    // The fleet is full while the file that refuses is tried.
    rig.demand_rps[kR0] = i < 60 ? 14 : 9;
    rig.demand_rps[kR1] = i < 60 ? 14 : 3;
    rig.demand_rps[kR2] = (i < 60 ? 12 : 3) + i % 7;
    if (i == 20) load("bad");
    if (i == 60) load("good");
    if (i == 70) rig.trips[{kR0, kR1}] = 150;
    if (i == 110) load("old");
    if (i == 130) rig.Ask(CanaryCommand{.promote = true});
    rig.Second();
    second();
  }
}

// A twin that lives the same events; Rig keeps its own machine.
class Twin {
 public:
  explicit Twin(const Rig& rig) : rig_(rig) {}
  std::optional<ControllerMachine> machine;
  template <class Told>
  void Follow(Told told) {
    for (; lived_ < rig_.lived.size(); ++lived_) {
      const auto& [at, event] = rig_.lived[lived_];
      told(at, event, *machine);
    }
  }

 private:
  const Rig& rig_;
  std::size_t lived_ = 0;
};

TEST(TrialJournalTest, EveryCheckpointGoesOnToTheBit) {
  Rig rig(*FileNamed("old"), {}, 4);
  std::string text = "old";
  std::set<canary::Phase> seen;
  Twin twin(rig);
  twin.machine.emplace(ControllerSettings{}, *FileNamed("old"), DurableState{}, FromUnixSeconds(1));
  int second = 0, made_anew = 0;
  Live(rig, [&] {
    twin.Follow([&](Time at, const ControllerEvent& event, ControllerMachine& machine) {
      std::vector<ControllerAction> actions;
      machine.Step(at, event, actions);
      if (const auto* loaded = std::get_if<TopologyLoaded>(&event)) text = loaded->text;
    });
    seen.insert(rig.machine.trial().state().phase);
    const v1::ControllerCheckpoint saved = Checkpointer::Save(rig.machine, text);
    ASSERT_TRUE(Checkpointer::Save(*twin.machine, text).SerializeAsString() == saved.SerializeAsString())
        << "second " << second;
    // Every third second the twin dies and is made anew from its checkpoint.
    // Not while its directory is partial: that of before, whose view goes on, is not in a checkpoint.
    if (++second % 3 != 0 || saved.durable().directory().partial()) return;
    auto again = Checkpointer::Load(saved, *FileNamed(text));
    ASSERT_TRUE(again.ok()) << again.status();
    const v1::ControllerCheckpoint loaded = Checkpointer::Save(*again, text);
    ASSERT_TRUE(loaded.SerializeAsString() == saved.SerializeAsString()) << "second " << second;
    twin.machine.emplace(*std::move(again));
    ++made_anew;
  });
  EXPECT_GE(made_anew, 10);
  EXPECT_EQ(seen, (std::set<canary::Phase>{canary::Phase::kNone, canary::Phase::kMeasuring,
                                           canary::Phase::kRunning, canary::Phase::kPassed,
                                           canary::Phase::kReverted, canary::Phase::kPromoted}));
}

TEST(TrialJournalTest, ReplayMakesTheTablesOfBothGroups) {
  std::string pattern = ::testing::TempDir() + "ringway-canary-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  {
    Recorder recorder(folder, {.segment_bytes_max = 100'000, .total_bytes_max = 900'000}, "old",
                      runtime::Logger("test", runtime::LogLevel::kError));
    Rig rig(*FileNamed("old"), {}, 4);
    Twin twin(rig);
    twin.machine.emplace(ControllerSettings{}, *FileNamed("old"), DurableState{}, FromUnixSeconds(1));
    Live(rig, [&] {
      twin.Follow([&](Time at, const ControllerEvent& event, ControllerMachine& machine) {
        std::vector<ControllerAction> actions;
        recorder.Event(at, event, machine);
        machine.Step(at, event, actions);
        recorder.Outcomes(at, actions, *machine.fleet());
      });
    });
  }
  int for_some = 0;
  const auto report = Replay(folder, FileNamed,
                             [&](Time, const ControllerEvent&, const std::vector<ControllerAction>& actions,
                                 const ControllerMachine&) {
                               for (const ControllerAction& action : actions) {
                                 const auto* sent = std::get_if<SendTable>(&action);
                                 for_some +=
                                     sent != nullptr && sent->audience != nullptr && sent->audience->only;
                               }
                             });
  fs::remove_all(folder);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->segments, 3u);
  EXPECT_GT(for_some, 20);
  EXPECT_GT(report->tables, 60u);
  EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
  EXPECT_EQ(report->checkpoints_different, 0u) << report->first_difference;
}

TEST(TrialJournalTest, BrokenCanariesAreRefused) {
  Rig rig(*FileNamed("old"), {}, 4);
  rig.demand_rps[kR0] = 14;
  rig.Connect();
  rig.PassSeconds(20);
  rig.Send(TopologyLoaded{*FileNamed("good"), "good"});
  for (int i = 0; i < 100 && !rig.machine.trial().running(); ++i) rig.Second();
  ASSERT_TRUE(rig.machine.trial().running());
  rig.PassSeconds(2);
  const v1::CanaryState good = EncodeCanary(rig.machine.trial().state());
  ASSERT_TRUE(DecodeCanary(good).ok());
  EXPECT_EQ(EncodeCanary(*DecodeCanary(good)).SerializeAsString(), good.SerializeAsString());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Break = std::function<void(v1::CanaryState&)>;
  const std::vector<Break> cases = {
      [](v1::CanaryState& s) { s.set_phase("asleep"); },
      [](v1::CanaryState& s) { s.set_share(0.7); },
      [&](v1::CanaryState& s) { s.set_period_s(nan); },
      [](v1::CanaryState& s) { s.set_elapsed_s(-1); },
      [](v1::CanaryState& s) { s.mutable_in_force(0)->set_overload_threshold(0); },
      [](v1::CanaryState& s) { s.mutable_tried(0)->set_isolation(9); },
      [](v1::CanaryState& s) { s.mutable_tried(0)->set_refine(3); },
      [](v1::CanaryState& s) { s.mutable_tried(0)->set_escalation(2); },
      [&](v1::CanaryState& s) { s.mutable_tried(0)->set_shed_above(nan); },
      [](v1::CanaryState& s) { s.mutable_tried(0)->mutable_rings(0)->set_unlock_load(-1); },
      [](v1::CanaryState& s) { s.mutable_tried(0)->mutable_regions(0)->set_reserve_share(2); },
      [&](v1::CanaryState& s) { s.mutable_evidence(0)->mutable_before()->set_lost(nan); },
      [](v1::CanaryState& s) { s.mutable_evidence(0)->mutable_open(0)->mutable_rest()->set_done(-1); },
      [&](v1::CanaryState& s) { s.mutable_evidence(0)->set_worse(0, nan); },
      [](v1::CanaryState& s) { s.mutable_evidence(0)->set_judged_s(-1); },
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    v1::CanaryState bad = good;
    cases[i](bad);
    EXPECT_FALSE(DecodeCanary(bad).ok()) << "case " << i;
  }
}

}  // namespace
}  // namespace ringway::controller
