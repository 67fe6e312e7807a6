// A router's journal that another release wrote: read as far as its shapes are the first fields of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "journal/bytes.h"
#include "journal/shape.h"
#include "router/journal/checkpoint.h"
#include "router/journal/fields.h"
#include "router/journal/replay.h"
#include "runtime/segment.h"
#include "tests/router/journal_life.h"

namespace ringway::router {
namespace {

// The last fields of settings, of an event, of an action and of the machine (which this life leaves as new),
// and the last kind of event, as if they had been appended after the release that wrote the journal.
const std::map<std::string, std::size_t> kAppendedSince = {{"ringway::SpillSpec", 2},
                                                           {"ringway::router::AttemptEnded", 1},
                                                           {"ringway::router::EndJob", 1},
                                                           {"ringway::router::RouterMachine", 1},
                                                           {"|ringway::router::TimePassed", 1}};

// The journal as that release would have written it: every segment and every event in its shapes.
void AsWrittenBefore(const Folder& folder, const Folder& before, const std::string& told) {
  const journal::Shapes shapes = journal::Shapes::Of(told).value();
  runtime::SegmentWriter writer(before.path(), 64 << 20);
  std::deque<std::string> words;
  for (const runtime::SegmentFile& segment : SegmentsOf(folder)) {
    std::optional<RouterMachine> machine;
    const auto read = runtime::ReadSegment(segment.path, [&](std::string_view payload) {
      journal::Reader reader(payload, words);
      if (!machine) {
        Beginning begin;
        begin.Take(reader);
        machine.emplace(begin.settings, std::make_shared<const Fleet>(begin.fleet));
        EXPECT_TRUE(Load(begin.state, words, *machine));
        begin.shapes = told;
        begin.state = Save(*machine, &shapes);
        return writer.Begin(begin.Bytes(&shapes));
      }
      std::string batch;
      while (!reader.empty()) {
        Time now;
        RouterEvent event;
        reader.Take(now);
        reader.Take(event);
        std::vector<RouterAction> actions;
        machine->Step(now, event, actions);
        std::string bytes;
        journal::Writer(bytes, nullptr, &shapes).Put(actions);
        EXPECT_EQ(reader.Number(), actions.size());
        (void)reader.Number();
        journal::Writer events(batch, nullptr, &shapes);
        events.Put(now);
        events.Put(event);
        events.Number(actions.size());
        events.Number(journal::Digest(bytes));
      }
      return writer.Append(batch);
    });
    ASSERT_TRUE(read.ok()) << read.status();
  }
}

TEST(JournalShapesTest, WhatTheReleaseBeforeWroteIsReadWhenFieldsWereAppended) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Folder folder, before;
    { Lived(folder, seed, 1 << 20).Run(20'000); }
    AsWrittenBefore(folder, before, journal::Shapes::Own(kAppendedSince));
    const auto now = Replay(folder.path()), then = Replay(before.path());
    ASSERT_TRUE(now.ok() && then.ok()) << now.status() << then.status();
    EXPECT_EQ(then->different, 0u) << "seed " << seed << ": " << then->first_difference;
    EXPECT_EQ(then->events, now->events);
    EXPECT_EQ(then->actions, now->actions);
    EXPECT_LT(BytesIn(before), BytesIn(folder)) << "fields were left out";
  }
}

// What an earlier release wrote, to the byte. It must be readable for as long as this release says so, and
// what its machine did need not come out the same for ever, because dispatch may become better.
TEST(JournalShapesTest, TheJournalOfVersion9IsRead) {
  const std::string golden = absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/router/golden/journal");
  if (std::getenv("RINGWAY_WRITE_GOLDEN") != nullptr) {
    fs::remove_all(golden);
    Lived(golden, 3, 1 << 20).Run(400);
  }
  const auto report = Replay(golden);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->lives, 1u);
  EXPECT_EQ(report->torn, 0u);
  EXPECT_GT(report->events, 400u);
  EXPECT_GT(report->actions, 100u);
}

TEST(JournalShapesTest, AFieldThatIsGoneOrAnotherIsNamed) {
  const auto replay = [](const std::string& told) {
    const Folder folder;
    runtime::SegmentWriter writer(folder.path(), 64 << 20);
    EXPECT_TRUE(writer.Begin(Beginning{.shapes = told}.Bytes()).ok());
    return Replay(folder.path()).status();
  };
  // Of some struct one field more than there are here, or a kind that is another: its count and its digest.
  for (const std::uint64_t digest : {std::uint64_t{1}, std::uint64_t{2}}) {
    std::string told;
    journal::Writer writer(told);
    writer.Number(1);
    writer.Number(journal::Digest("ringway::router::AttemptAccepted"));
    writer.Number(digest == 1 ? 3 : 2);
    writer.Number(digest);
    EXPECT_THAT(replay(told).message(), testing::HasSubstr("ringway::router::AttemptAccepted has"));
    EXPECT_EQ(replay(told).code(), absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(replay("\x05\x01").code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace ringway::router
