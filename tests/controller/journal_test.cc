// The journal: bounded files that survive being cut anywhere, and a replay that gives the very same tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "controller/journal/checkpoint.h"
#include "controller/journal/recorder.h"
#include "controller/journal/replay.h"
#include "core/rng.h"
#include "runtime/segment.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

namespace fs = std::filesystem;
using runtime::ListSegments;
using runtime::ReadSegment;
using runtime::SegmentEnd;
using runtime::SegmentFile;
using runtime::SegmentWriter;

class Folder {
 public:
  Folder() {
    std::string pattern = ::testing::TempDir() + "ringway-journal-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<std::string> Records(const std::string& path, SegmentEnd& end) {
  std::vector<std::string> records;
  auto read = ReadSegment(path, [&](std::string_view payload) {
    records.emplace_back(payload);
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read.status();
  end = read.value_or(SegmentEnd::kCorrupt);
  return records;
}

// Topologies by the name that stands for their text.
absl::StatusOr<std::shared_ptr<const Fleet>> FleetNamed(const std::string& text) {
  if (text == "three") return MakeFleet();
  if (text == "four") return MakeFleet({.regions = 4, .priorities = 2, .tiers = 2, .ledger = true});
  return absl::InvalidArgumentError("no such topology: " + text);
}

runtime::Logger Quiet() { return runtime::Logger("test", runtime::LogLevel::kError); }

// A life with everything in it, recorded; `seconds` long.
void Live(const std::string& folder, JournalLimits limits, int seconds, std::uint64_t seed) {
  Recorder recorder(folder, limits, "three", Quiet());
  Rig rig(MakeFleet());
  Rng rng(seed);
  std::size_t told = 0;
  // The rig steps the machine itself; a twin is stepped with the same events and recorded.
  ControllerMachine twin(ControllerSettings{}, MakeFleet(), {}, FromUnixSeconds(1));
  const auto record = [&] {
    for (; told < rig.lived.size(); ++told) {
      const auto& [at, event] = rig.lived[told];
      std::vector<ControllerAction> actions;
      recorder.Event(at, event, twin);
      twin.Step(at, event, actions);
      recorder.Outcomes(at, actions, *twin.fleet());
    }
  };
  rig.Connect();
  for (int second = 0; second < seconds; ++second) {
    rig.demand_rps[RegionId(rng.Below(3))] = rng.Uniform() * 14;
    if (second % 17 == 5) rig.dead[RegionId(1)] = static_cast<int>(rng.Below(8));
    if (second % 23 == 7) rig.Ask(DrainCommand{.region = "r2", .tier = "", .drain = rng.Chance(0.5)});
    if (second % 29 == 9) rig.Ask(ThresholdCommand{"", 0.5 + rng.Uniform() * 0.4});
    if (second % 31 == 11)
      rig.Ask(PinCommand{.tier = "", .region = "r1", .routes = {{"r1", 0.3}, {"r2", 0.7}}});
    if (second % 31 == 20) rig.Ask(PinCommand{.tier = "", .region = "r1", .pin = false});
    if (second % 13 == 3) {
      rig.trips[{RegionId(rng.Below(3)), RegionId(rng.Below(3))}] = 1 + 300 * rng.Uniform();
    }
    if (second % 19 == 3)
      rig.Ask(DrainCommand{.region = "r0", .tier = "t0", .share = 0.3, .check_room = true}, Seconds(7));
    if (second % 41 == 8)
      rig.Ask(ThresholdCommand{.tier = "t0", .overload_threshold = 0.55, .region = "r2"}, Seconds(20));
    if (second % 43 == 21) rig.Ask(ThresholdCommand{.tier = "t0", .region = "r2", .clear = true});
    if (second % 47 == 30) rig.Ask(ModeCommand{"t0", TierMode::kFrozen}, Milliseconds(3300));
    if (second % 31 == 15) rig.Ask(PinCommand{.tier = "", .region = "r0", .routes = {{"r0", 1}}}, Seconds(9));
    if (second % 37 == 13) rig.Send(RouterAcked{1, rig.machine.table()->version, false, "no"});
    rig.Second();
    record();
  }
}

TEST(SegmentTest, RecordsComeBackInOrder) {
  Folder folder;
  {
    SegmentWriter writer(folder.path(), 1 << 20);
    EXPECT_FALSE(writer.Append("too early").ok());
    ASSERT_TRUE(writer.Begin("first").ok());
    ASSERT_TRUE(writer.Append("").ok());
    ASSERT_TRUE(writer.Append(std::string(3'000'000, 'x')).ok());
  }
  const auto segments = ListSegments(folder.path());
  ASSERT_EQ(segments->size(), 1u);
  SegmentEnd end;
  const auto records = Records((*segments)[0].path, end);
  EXPECT_EQ(end, SegmentEnd::kWhole);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0], "first");
  EXPECT_EQ(records[1], "");
  EXPECT_EQ(records[2].size(), 3'000'000u);
}

TEST(SegmentTest, CutAtAnyByteTheRestIsStillThere) {
  Folder folder;
  {
    SegmentWriter writer(folder.path(), 1 << 20);
    ASSERT_TRUE(writer.Begin("alpha").ok());
    for (const char* word : {"beta", "gamma", "delta"}) ASSERT_TRUE(writer.Append(word).ok());
  }
  const std::string path = ListSegments(folder.path())->at(0).path;
  const std::string whole = ReadAll(path);
  const std::size_t ends[] = {8, 8 + 13, 8 + 13 + 12, 8 + 13 + 12 + 13, 8 + 13 + 12 + 13 + 13};
  ASSERT_EQ(whole.size(), ends[4]);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    WriteAll(path, whole.substr(0, cut));
    SegmentEnd end;
    const auto records = Records(path, end);
    std::size_t complete = 0;
    while (complete < 4 && ends[complete + 1] <= cut) ++complete;
    EXPECT_EQ(records.size(), complete) << "cut at " << cut;
    const bool at_a_seam = cut >= 8 && cut == ends[complete];
    EXPECT_EQ(end, at_a_seam ? SegmentEnd::kWhole : SegmentEnd::kTorn) << "cut at " << cut;
  }
}

TEST(SegmentTest, AFlippedBitEndsTheSegmentThere) {
  Folder folder;
  {
    SegmentWriter writer(folder.path(), 1 << 20);
    ASSERT_TRUE(writer.Begin("alpha").ok());
    ASSERT_TRUE(writer.Append("beta").ok());
  }
  const std::string path = ListSegments(folder.path())->at(0).path;
  const std::string whole = ReadAll(path);
  for (std::size_t byte = 8; byte < whole.size(); ++byte) {
    std::string bent = whole;
    bent[byte] = static_cast<char>(bent[byte] ^ 0x10);
    WriteAll(path, bent);
    SegmentEnd end;
    const auto records = Records(path, end);
    EXPECT_NE(end, SegmentEnd::kWhole) << byte;
    EXPECT_LE(records.size(), 1u) << byte;
  }
  WriteAll(path, "not a journal at all");
  EXPECT_TRUE(
      absl::IsDataLoss(ReadSegment(path, [](std::string_view) { return absl::OkStatus(); }).status()));
}

TEST(SegmentTest, OldSegmentsGoWhenTheBoundIsReached) {
  Folder folder;
  SegmentWriter writer(folder.path(), 10'000);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(writer.Begin("checkpoint").ok());
    ASSERT_TRUE(writer.Append(std::string(2000, 'x')).ok());
    std::uint64_t total = 0;
    const auto listed = ListSegments(folder.path());
    for (const SegmentFile& segment : *listed) total += segment.bytes;
    EXPECT_LE(total, 10'000u + 2'100u);
  }
  const auto segments = ListSegments(folder.path());
  EXPECT_EQ(segments->back().number, 20u);
  EXPECT_GE(segments->size(), 4u);
}

TEST(ReplayTest, TheSameInputsGiveTheSameTables) {
  Folder folder;
  Live(folder.path(), {}, 90, 1);
  const auto report = Replay(folder.path(), FleetNamed);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->segments, 1u);
  EXPECT_GT(report->events, 600u);
  EXPECT_GT(report->tables, 50u);
  EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
}

TEST(ReplayTest, WhatIsLeftAfterRotationStillReplaysToTheBit) {
  Folder folder;
  const JournalLimits small{.segment_bytes_max = 50'000, .total_bytes_max = 250'000};
  Live(folder.path(), small, 120, 2);
  const auto segments = ListSegments(folder.path());
  ASSERT_GT(segments->front().number, 1u) << "nothing was dropped: the test has no teeth";
  ASSERT_GT(segments->size(), 2u);
  const auto report = Replay(folder.path(), FleetNamed);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->tables, 10u);
  EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
  EXPECT_EQ(report->checkpoints_different, 0u) << report->first_difference;
}

TEST(ReplayTest, AnEditedInputShows) {
  Folder folder;
  Live(folder.path(), {}, 40, 3);
  const std::string path = ListSegments(folder.path())->at(0).path;
  SegmentEnd end;
  std::vector<std::string> records = Records(path, end);
  // Somebody doubles what one router says entered there.
  for (std::string& bytes : records) {
    v1::JournalRecord record;
    ASSERT_TRUE(record.ParseFromString(bytes));
    if (!record.has_reported() || record.reported().stream() != 1) continue;
    v1::TierReport& tier = *record.mutable_reported()->mutable_report()->mutable_tiers(0);
    tier.set_entered(0, tier.entered(0) * 2 + 100);
    bytes = record.SerializeAsString();
  }
  fs::remove(path);
  {
    SegmentWriter writer(folder.path(), 1 << 30);
    ASSERT_TRUE(writer.Begin(records[0]).ok());
    for (std::size_t i = 1; i < records.size(); ++i) ASSERT_TRUE(writer.Append(records[i]).ok());
  }
  const auto report = Replay(folder.path(), FleetNamed);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->tables_different, 0u);
}

TEST(ReplayTest, ATornTailAndASecondLifeAreTolerated) {
  Folder folder;
  Live(folder.path(), {}, 20, 4);
  const std::string path = ListSegments(folder.path())->at(0).path;
  const std::string whole = ReadAll(path);
  WriteAll(path, whole.substr(0, whole.size() - 7));
  Live(folder.path(), {}, 20, 5);
  const auto report = Replay(folder.path(), FleetNamed);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->segments, 2u);
  EXPECT_EQ(report->holes, 1u);
  EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
}

TEST(ReplayTest, ATopologyThatChangesIsPartOfTheRecord) {
  Folder folder;
  {
    Recorder recorder(folder.path(), {}, "three", Quiet());
    ControllerMachine machine(ControllerSettings{}, MakeFleet(), {}, FromUnixSeconds(1));
    Time now = FromUnixSeconds(1);
    const auto step = [&](const ControllerEvent& event) {
      std::vector<ControllerAction> actions;
      now += Milliseconds(400);
      recorder.Event(now, event, machine);
      machine.Step(now, event, actions);
      recorder.Outcomes(now, actions, *machine.fleet());
    };
    for (int i = 0; i < 60; ++i) step(Tick{});
    step(TopologyLoaded{*FleetNamed("four"), "four"});
    for (int i = 0; i < 60; ++i) step(Tick{});
  }
  bool saw_four = false;
  const auto report = Replay(folder.path(), FleetNamed,
                             [&](Time, const ControllerEvent&, const std::vector<ControllerAction>&,
                                 const ControllerMachine& machine) {
                               saw_four = saw_four || machine.fleet()->world.regions.size() == 4;
                             });
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(saw_four);
  EXPECT_GT(report->tables, 0u);
  EXPECT_EQ(report->tables_different, 0u) << report->first_difference;
}

TEST(ReplayTest, AFolderWithoutAJournalIsAnErrorAndNotAGoodReplay) {
  const Folder folder;
  const auto report = Replay(folder.path(), FleetNamed);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(report.status().message(), testing::HasSubstr(folder.path() + ": no journal is here"));
}

// A journal that version 1 wrote. It must be readable for as long as this release promises to read version 1;
// its tables need not come out the same for ever, because planning may become better.
TEST(ReplayTest, TheJournalOfVersion1IsRead) {
  const std::string golden = absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/controller/golden");
  if (std::getenv("RINGWAY_WRITE_GOLDEN") != nullptr) {
    fs::remove_all(golden + "/journal");
    Live(golden + "/journal", {}, 16, 6);
  }
  const auto report = Replay(golden + "/journal", FleetNamed);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->segments, 1u);
  EXPECT_EQ(report->holes, 0u);
  EXPECT_GT(report->events, 100u);
  EXPECT_GT(report->tables, 5u);
}

}  // namespace
}  // namespace ringway::controller
