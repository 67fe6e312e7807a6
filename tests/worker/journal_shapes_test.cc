// A worker's journal that another release wrote: read as far as its shapes are the first fields of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "journal/bytes.h"
#include "journal/shape.h"
#include "runtime/segment.h"
#include "tests/worker/journal_life.h"
#include "worker/journal/checkpoint.h"
#include "worker/journal/fields.h"
#include "worker/journal/replay.h"

namespace ringway::worker {
namespace {

// The last fields of settings (which this life leaves as new), of an action and of the state, and the last
// kinds of event and action, as if they had been appended after the release that wrote the journal.
const std::map<std::string, std::size_t> kAppendedSince = {{"ringway::WorkerSettings", 1},
                                                           {"ringway::EndAttempt", 1},
                                                           {"ringway::WorkerTotals", 1},
                                                           {"|ringway::AttemptOffered", 1},
                                                           {"|ringway::AcceptAttempt", 1}};

// The journal as that release would have written it: every segment and every event in its shapes.
void AsWrittenBefore(const Folder& folder, const Folder& before, const std::string& told) {
  const journal::Shapes shapes = journal::Shapes::Of(told).value();
  runtime::SegmentWriter writer(before.path(), 64 << 20);
  std::deque<std::string> words;
  for (const runtime::SegmentFile& segment : SegmentsOf(folder)) {
    std::optional<WorkerNode> node;
    const auto read = runtime::ReadSegment(segment.path, [&](std::string_view payload) {
      journal::Reader reader(payload, words);
      if (!node) {
        Beginning begin;
        begin.Take(reader);
        node.emplace(begin.settings);
        EXPECT_TRUE(Load(begin.state, *node));
        begin.shapes = told;
        begin.state = Save(*node, &shapes);
        return writer.Begin(begin.Bytes(&shapes));
      }
      std::string batch;
      while (!reader.empty()) {
        Time now;
        WorkerEvent event;
        reader.Take(now);
        reader.Take(event);
        RecordingShell shell;
        std::visit([&](const auto& e) { node->Step(now, e, shell); }, event);
        std::string bytes;
        journal::Writer(bytes, nullptr, &shapes).Put(shell.actions);
        EXPECT_EQ(reader.Number(), shell.actions.size());
        (void)reader.Number();
        journal::Writer events(batch, nullptr, &shapes);
        events.Put(now);
        events.Put(event);
        events.Number(shell.actions.size());
        events.Number(journal::Digest(bytes));
      }
      return writer.Append(batch);
    });
    ASSERT_TRUE(read.ok()) << read.status();
  }
}

TEST(WorkerJournalShapesTest, WhatTheReleaseBeforeWroteIsReadWhenFieldsWereAppended) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Folder folder, before;
    { Lived(folder, seed, 64 << 10).Run(10'000); }
    AsWrittenBefore(folder, before, journal::Shapes::Own(kAppendedSince));
    const auto now = Replay(folder.path()), then = Replay(before.path());
    ASSERT_TRUE(now.ok() && then.ok()) << now.status() << then.status();
    EXPECT_EQ(then->different, 0u) << "seed " << seed << ": " << then->first_difference;
    EXPECT_EQ(then->events, now->events);
    EXPECT_EQ(then->actions, now->actions);
    const journal::Shapes shapes = journal::Shapes::Of(journal::Shapes::Own(kAppendedSince)).value();
    EXPECT_LT(Beginning().Bytes(&shapes).size(), Beginning().Bytes().size()) << "fields were left out";
  }
}

// A field that only a newer release knows, or that is another: its struct is named.
TEST(WorkerJournalShapesTest, AFieldThatANewerReleaseAppendedIsNamed) {
  const auto replay = [](std::uint64_t count) {
    std::string told;
    journal::Writer writer(told);
    writer.Number(1);
    writer.Number(journal::Digest("ringway::SlotFenced"));
    writer.Number(count);
    writer.Number(1);
    const Folder folder;
    runtime::SegmentWriter segments(folder.path(), 64 << 20);
    EXPECT_TRUE(segments.Begin(Beginning{.shapes = told}.Bytes()).ok());
    return Replay(folder.path()).status();
  };
  for (const std::uint64_t count : {4, 3}) {
    EXPECT_THAT(replay(count).message(), testing::HasSubstr("ringway::SlotFenced has"));
    EXPECT_EQ(replay(count).code(), absl::StatusCode::kFailedPrecondition);
  }
}

// What an earlier release wrote, to the byte. It must be readable for as long as this release says so, and
// what its node did need not come out the same for ever, because workers may come to decide better.
TEST(WorkerJournalShapesTest, TheJournalOfVersion1IsRead) {
  const std::string golden = absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/worker/golden/journal");
  if (std::getenv("RINGWAY_WRITE_GOLDEN") != nullptr) {
    std::filesystem::remove_all(golden);
    Lived(golden, 3, 64 << 10).Run(400);
  }
  const auto report = Replay(golden);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->lives, 1u);
  EXPECT_EQ(report->torn, 0u);
  EXPECT_EQ(report->events, 400u);
  EXPECT_GT(report->actions, 100u);
}

}  // namespace
}  // namespace ringway::worker
