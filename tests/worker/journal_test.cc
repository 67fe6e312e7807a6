// A worker's journal: a life that was recorded comes out the same, and one that was doctored does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "core/rng.h"
#include "journal/bytes.h"
#include "journal/replay.h"
#include "runtime/segment.h"
#include "tests/worker/journal_life.h"
#include "worker/journal/checkpoint.h"
#include "worker/journal/fields.h"
#include "worker/journal/recorder.h"
#include "worker/journal/replay.h"

namespace ringway::worker {
namespace {

namespace fs = std::filesystem;

// Some forty segments of a life: at each of their beginnings a node goes on that was restored.
constexpr std::uint64_t kSmallRing = 16 << 10;

Beginning BeginningOf(std::string_view payload) {
  std::deque<std::string> words;
  journal::Reader reader(payload, words);
  Beginning begin;
  begin.Take(reader);
  EXPECT_TRUE(reader.ok() && reader.empty());
  return begin;
}

// The journal with other beginnings of its segments, which are counted from 1.
void Doctor(const Folder& from, const Folder& to, const std::function<void(int, Beginning&)>& edit) {
  runtime::SegmentWriter writer(to.path(), 64 << 20);
  int segments = 0;
  for (const runtime::SegmentFile& segment : SegmentsOf(from)) {
    bool first = true;
    const auto read = runtime::ReadSegment(segment.path, [&](std::string_view payload) {
      if (!std::exchange(first, false)) return writer.Append(payload);
      Beginning begin = BeginningOf(payload);
      edit(++segments, begin);
      return writer.Begin(begin.Bytes());
    });
    ASSERT_TRUE(read.ok()) << read.status();
  }
}

TEST(WorkerJournalTest, ALifeComesOutBitForBit) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Folder folder;
    { Lived(folder, seed).Run(2000); }
    EXPECT_EQ(journal::TitleOf(folder.path()), kJournalTitle.text);
    const auto report = Replay(folder.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->lives, 1u);
    EXPECT_EQ(report->events, 2000u);
    EXPECT_GT(report->actions, 1000u);
    EXPECT_EQ(report->different, 0u) << "seed " << seed << ": " << report->first_difference;
  }
}

// A clock that was set back between them may show the same time at the start of both.
TEST(WorkerJournalTest, LivesThatBeganAtTheSameTimeAreTwo) {
  const Folder folder;
  { Lived(folder, 1).Run(200); }
  { Lived(folder, 1).Run(300); }
  const auto report = Replay(folder.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->lives, 2u);
  EXPECT_EQ(report->gaps, 0u);
  EXPECT_EQ(report->events, 500u);
  EXPECT_EQ(report->different, 0u) << report->first_difference;
}

// A ring: what is there ends with the last event and begins in mid-life, with a node that was restored.
TEST(WorkerJournalTest, TheLastOfALongLifeIsThere) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Folder folder;
    std::uint64_t lived = 0, bytes_seen_max = 0;
    {
      Lived life(folder, seed, kSmallRing);
      for (int i = 0; i < 10; ++i) {
        life.Run(300);
        bytes_seen_max = std::max(bytes_seen_max, BytesIn(folder));
      }
      EXPECT_TRUE(life.recording());
      lived = life.events();
    }
    bytes_seen_max = std::max(bytes_seen_max, BytesIn(folder));
    EXPECT_LE(bytes_seen_max, kSmallRing);
    EXPECT_GE(BytesIn(folder), kSmallRing / 2) << "half of the bound at least is always there";
    const auto segments = SegmentsOf(folder);
    EXPECT_GT(segments.front().number, 2u) << "nothing was deleted";
    std::uint64_t begins_at = 0;
    (void)runtime::ReadSegment(segments.front().path, [&](std::string_view payload) {
      begins_at = BeginningOf(payload).events;
      return absl::CancelledError("the first record is enough");
    });
    const auto report = Replay(folder.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->different, 0u) << "seed " << seed << ": " << report->first_difference;
    EXPECT_EQ(report->lives, 1u);
    EXPECT_EQ(report->gaps, 0u);
    EXPECT_GT(begins_at, 0u);
    EXPECT_EQ(begins_at + report->events, lived) << "it ends with the last event";
  }
}

TEST(WorkerJournalTest, LivesFollowEachOtherInOneFolder) {
  const Folder folder;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) Lived(folder, seed).Run(100);
  const auto report = Replay(folder.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->lives, 3u);
  EXPECT_EQ(report->different, 0u) << report->first_difference;
}

// As if what a worker decides had changed since: it rests after three failures and no longer after two, or
// lets larger payloads in.
TEST(WorkerJournalTest, AnotherDecisionIsCaught) {
  const std::function<void(WorkerSettings&)> changes[] = {
      [](WorkerSettings& settings) { settings.slot.failures_before_rest = 3; },
      [](WorkerSettings& settings) { settings.payload_bytes_max = 110; },
      [](WorkerSettings& settings) { settings.slot.upload_max = Milliseconds(3100); },
      [](WorkerSettings& settings) { settings.delivery_max = Milliseconds(6100); }};
  const Folder folder;
  { Lived(folder, 5).Run(8000); }
  for (const auto& change : changes) {
    SCOPED_TRACE(&change - changes);
    const Folder doctored;
    Doctor(folder, doctored, [&](int, Beginning& begin) { change(begin.settings); });
    const auto report = Replay(doctored.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->different, 1u) << "the segment is passed over where it differs";
    EXPECT_THAT(report->first_difference, testing::HasSubstr("actions recorded"));
  }
}

// A state that the node never came to: found at the segment that has it.
TEST(WorkerJournalTest, ACheckpointThatDoesNotFitIsCaught) {
  const Folder folder, doctored;
  { Lived(folder, 4, kSmallRing).Run(3000); }
  Doctor(folder, doctored, [](int segment, Beginning& begin) {
    if (segment != 3) return;
    WorkerNode node(begin.settings);
    EXPECT_TRUE(Load(begin.state, node));
    RecordingShell shell;
    node.Step(FromUnixSeconds(2'000'000), StopOrdered{}, shell);
    begin.state = Save(node);
  });
  ASSERT_GT(SegmentsOf(doctored).size(), 3u);
  const auto report = Replay(doctored.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(report->different, 1u);
  EXPECT_THAT(report->first_difference, testing::HasSubstr("checkpoint"));
}

TEST(WorkerJournalTest, ATornTailEndsTheLifeThere) {
  const Folder folder;
  { Lived(folder, 2).Run(5000); }
  const std::string path = SegmentsOf(folder).at(0).path;
  fs::resize_file(path, fs::file_size(path) - 3);
  const auto report = Replay(folder.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->torn, 1u);
  EXPECT_LT(report->events, 5000u);
  EXPECT_GT(report->events, 1000u);
  EXPECT_EQ(report->different, 0u) << report->first_difference;
}

// What a router's journal holds is not taken for a worker's, and the other way round.
TEST(WorkerJournalTest, AnotherProgramsJournalIsRefused) {
  const Folder folder;
  runtime::SegmentWriter writer(folder.path(), 64 << 20);
  ASSERT_TRUE(writer.Begin(Beginning{.title = "ringway router journal"}.Bytes()).ok());
  EXPECT_EQ(Replay(folder.path()).status().code(), absl::StatusCode::kDataLoss);
}

TEST(WorkerJournalTest, DamageIsAnErrorAndNeverACrash) {
  const Folder folder;
  const Lived life(folder, 3);
  const std::string bytes = Beginning{.settings = Settings(3), .state = Save(life.node())}.Bytes();
  Rng rng(7);
  for (int i = 0; i < 3000; ++i) {
    std::string bent = bytes;
    for (int flips = 0; flips < 3; ++flips) bent[rng.Below(bent.size())] = static_cast<char>(rng.Below(256));
    bent.resize(rng.Chance(0.5) ? bent.size() : rng.Below(bent.size()));
    std::deque<std::string> words;
    journal::Reader reader(bent, words);
    Beginning begin;
    begin.Take(reader);
    WorkerNode node(Settings(3));
    if (reader.ok()) (void)Load(begin.state, node);
    WorkerEvent event;
    journal::Reader(bent, words).Take(event);
  }
}

}  // namespace
}  // namespace ringway::worker
