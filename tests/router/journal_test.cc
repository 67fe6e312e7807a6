// A router's journal: a life that was recorded comes out the same, and one that was doctored does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "journal/bytes.h"
#include "router/journal/checkpoint.h"
#include "router/journal/fields.h"
#include "router/journal/recorder.h"
#include "router/journal/replay.h"
#include "runtime/segment.h"
#include "tests/router/journal_life.h"

namespace ringway::router {
namespace {

TEST(RouterJournalTest, ALifeComesOutBitForBit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Folder folder;
    { Lived(folder, seed).Run(2000); }
    EXPECT_EQ(journal::TitleOf(folder.path()), kJournalTitle.text);
    const auto report = Replay(folder.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->lives, 1u);
    EXPECT_GT(report->events, 2000u);
    EXPECT_GT(report->actions, 500u);
    EXPECT_EQ(report->different, 0u) << "seed " << seed << ": " << report->first_difference;
  }
}

TEST(RouterJournalTest, LivesFollowEachOtherInOneFolder) {
  const Folder folder;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) Lived(folder, seed).Run(100);
  const auto report = Replay(folder.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->lives, 3u);
  EXPECT_EQ(report->different, 0u) << report->first_difference;
}

// The journal with a machine that began otherwise: as if the decisions had changed between the two.
TEST(RouterJournalTest, AnotherMachineIsCaught) {
  const Folder folder, doctored;
  { Lived(folder, 5).Run(2000); }
  runtime::SegmentWriter writer(doctored.path(), 64 << 20);
  bool first = true;
  const auto read =
      runtime::ReadSegment(runtime::ListSegments(folder.path())->at(0).path, [&](std::string_view payload) {
        if (!std::exchange(first, false)) return writer.Append(payload);
        std::deque<std::string> words;
        journal::Reader reader(payload, words);
        Beginning begin;
        begin.Take(reader);
        EXPECT_TRUE(reader.ok() && reader.empty());
        const auto fleet = std::make_shared<const Fleet>(begin.fleet);
        begin.settings = Settings(6);  // another seed
        begin.state = Save(RouterMachine(begin.settings, fleet));
        const std::string other = begin.Bytes();
        return writer.Begin(other);
      });
  ASSERT_TRUE(read.ok()) << read.status();
  const auto report = Replay(doctored.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->different, 1u) << "the segment is passed over where it differs";
  EXPECT_THAT(report->first_difference, testing::HasSubstr("actions recorded"));
}

TEST(RouterJournalTest, ATornTailEndsTheLifeThere) {
  const Folder folder;
  { Lived(folder, 2).Run(20'000); }
  const std::string path = runtime::ListSegments(folder.path())->at(0).path;
  fs::resize_file(path, fs::file_size(path) - 3);
  const auto report = Replay(folder.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->torn, 1u);
  EXPECT_EQ(report->different, 0u) << report->first_difference;
}

// The journal is a ring: what is there ends with the last event, begins in mid-life, and comes out again.
TEST(RouterJournalTest, TheLastOfALongLifeIsThere) {
  constexpr std::uint64_t kBytesMax = 1 << 20;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Folder folder;
    std::uint64_t lived = 0, bytes_seen_max = 0;
    {
      Lived life(folder, seed, kBytesMax);
      for (int i = 0; i < 40; ++i) {
        life.Run(1000);
        bytes_seen_max = std::max(bytes_seen_max, BytesIn(folder));
      }
      EXPECT_TRUE(life.recording());
      lived = life.events();
    }
    bytes_seen_max = std::max(bytes_seen_max, BytesIn(folder));
    EXPECT_LE(bytes_seen_max, kBytesMax);
    EXPECT_GE(BytesIn(folder), kBytesMax / 2) << "half of the bound at least is always there";
    EXPECT_GT(runtime::ListSegments(folder.path())->front().number, 2u) << "nothing was deleted";

    std::uint64_t begins_at = 0, segments = 0;
    for (const runtime::SegmentFile& segment : SegmentsOf(folder)) {
      (void)runtime::ReadSegment(segment.path, [&](std::string_view payload) {
        std::deque<std::string> words;
        journal::Reader reader(payload, words);
        Beginning begin;
        begin.Take(reader);
        if (segments++ == 0) begins_at = begin.events;
        return absl::CancelledError("the first record is enough");
      });
    }
    const auto report = Replay(folder.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->different, 0u) << "seed " << seed << ": " << report->first_difference;
    EXPECT_EQ(report->lives, 1u);
    EXPECT_EQ(report->gaps, 0u);
    EXPECT_GT(begins_at, 1000u);
    EXPECT_EQ(begins_at + report->events, lived) << "it ends with the last event";
  }
}

// A state that the machine never came to: found at the segment that has it.
TEST(RouterJournalTest, ACheckpointThatDoesNotFitIsCaught) {
  const Folder folder, doctored;
  { Lived(folder, 4, 1 << 20).Run(40'000); }
  runtime::SegmentWriter writer(doctored.path(), 64 << 20);
  std::size_t segments = 0;
  for (const runtime::SegmentFile& segment : SegmentsOf(folder)) {
    bool first = true;
    const auto read = runtime::ReadSegment(segment.path, [&](std::string_view payload) {
      if (!std::exchange(first, false)) return writer.Append(payload);
      std::deque<std::string> words;
      journal::Reader reader(payload, words);
      Beginning begin;
      begin.Take(reader);
      if (++segments == 3) {
        RouterMachine machine(begin.settings, std::make_shared<const Fleet>(begin.fleet));
        EXPECT_TRUE(Load(begin.state, words, machine));
        std::vector<RouterAction> actions;
        machine.Step(FromUnixSeconds(2'000'000), DrainChanged{true}, actions);
        begin.state = Save(machine);
      }
      return writer.Begin(begin.Bytes());
    });
    ASSERT_TRUE(read.ok()) << read.status();
  }
  ASSERT_GT(segments, 3u);
  const auto report = Replay(doctored.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(report->different, 1u);
  EXPECT_THAT(report->first_difference, testing::HasSubstr("checkpoint"));
}

// The folder cannot be made, as on a disk that is full for a while: recording stops and begins again.
TEST(RouterJournalTest, WhatTheDiskCannotTakeIsAGapAndNotTheEnd) {
  const Folder folder;
  const std::string journal = folder.path() + "/journal";
  std::ofstream(journal) << "a file where the folder should be";
  std::uint64_t lived = 0;
  {
    Lived life(journal, 9, 1 << 20);
    // The disk's own thread finds out; the machine's hears of it with the next batch.
    for (int i = 0; i < 1000 && life.recording(); ++i) life.Run(100);
    ASSERT_FALSE(life.recording());
    fs::remove(journal);
    life.Run(5000);  // nineteen seconds: longer than it waits
    EXPECT_TRUE(life.recording());
    lived = life.events();
  }
  const auto report = Replay(journal);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->different, 0u) << report->first_difference;
  EXPECT_GT(report->events, 100u);
  EXPECT_LT(report->events, lived);
}

TEST(RouterJournalTest, ABoundTooSmallForACheckpointIsSaid) {
  const Folder folder;
  const runtime::Logger log("test", runtime::LogLevel::kWarning);
  const auto fleet = std::make_shared<const Fleet>(SmallFleet());
  RouterMachine machine(Settings(1), fleet);
  testing::internal::CaptureStderr();
  {
    Recorder recorder(folder.path(), 4096, Settings(1), machine, log);
    recorder.Begin(UnixEpoch());
    EXPECT_FALSE(recorder.recording());
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("set --journal-mib to"));
}

TEST(RouterJournalTest, DamageIsAnErrorAndNeverACrash) {
  const auto fleet = std::make_shared<const Fleet>(SmallFleet());
  const std::string bytes = Beginning{.settings = Settings(1), .fleet = *fleet}.Bytes();
  Rng rng(7);
  for (int i = 0; i < 3000; ++i) {
    std::string bent = bytes;
    for (int flips = 0; flips < 3; ++flips) bent[rng.Below(bent.size())] = static_cast<char>(rng.Below(256));
    bent.resize(rng.Chance(0.5) ? bent.size() : rng.Below(bent.size()));
    std::deque<std::string> words;
    journal::Reader reader(bent, words);
    Beginning begin;
    begin.Take(reader);
    RouterEvent event;
    journal::Reader(bent, words).Take(event);
  }
}

}  // namespace
}  // namespace ringway::router
