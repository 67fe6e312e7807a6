// The table of video jobs: what each event does, and what holds whatever happens.
#include "gateway/jobs/job_table.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {
namespace {

const Time kStart = FromUnixSeconds(1'700'000'000);

class VideoTableTest : public ::testing::Test {
 protected:
  static TableLimits Limits() {
    return {.live_max = 4, .records_max = 8, .store_bytes_max = 100, .expiry = Seconds(60)};
  }
  void Step(const JobEvent& event) {
    actions_.clear();
    table_.Step(now_, event, actions_);
  }
  std::string Ask(const std::string& key = "", const std::string& webhook = "") {
    Video video;
    video.id = VideoId{.created_s = ToUnixSeconds(now_), .draw = ++draws_, .owner = "r"}.Text();
    video.key = key;
    video.webhook_url = webhook;
    Step(Asked{video});
    return video.id;
  }
  std::string AskAndComplete(std::uint64_t bytes) {
    const std::string id = Ask();
    Step(ResultGrew{id, bytes});
    Step(Ended{.id = id, .content_type = "video/mp4"});
    return id;
  }
  template <class Kind>
  int Count(const std::string& id) const {
    int count = 0;
    for (const JobAction& action : actions_) {
      const auto* of_kind = std::get_if<Kind>(&action);
      count += of_kind != nullptr && of_kind->id == id ? 1 : 0;
    }
    return count;
  }
  std::string Published() const {
    std::string events;
    for (const JobAction& action : actions_) {
      if (const auto* publish = std::get_if<Publish>(&action))
        absl::StrAppend(&events, std::string(publish->event), " ");
    }
    return events;
  }

  JobTable table_{Limits()};
  Time now_ = kStart;
  std::uint64_t draws_ = 0;
  std::vector<JobAction> actions_;
};

TEST_F(VideoTableTest, AJobsWay) {
  const std::string id = Ask();
  EXPECT_EQ(Published(), "video.queued ");
  EXPECT_EQ(Count<KeepRecord>(id), 1);
  Step(Started{id, "eu", "w"});
  EXPECT_EQ(Published(), "video.in_progress ");
  Step(Progressed{id, 1, 4});
  EXPECT_EQ(table_.Find(id)->progress, 24);
  Step(ResultGrew{id, 10});
  Step(Ended{.id = id, .content_type = "video/mp4", .note = "words that it did not know: asdf"});
  EXPECT_EQ(Published(), "video.completed ");
  EXPECT_NE(VideoJson(*table_.Find(id), "r").find("\"note\":\"words that it did not know: asdf\""),
            std::string::npos)
      << VideoJson(*table_.Find(id), "r");
  EXPECT_EQ(Count<KeepRecord>(id), 1);
  const Video& video = *table_.Find(id);
  EXPECT_EQ(video.progress, 100);
  EXPECT_EQ(video.result_bytes, 10u);
  EXPECT_EQ(video.expires_s, ToUnixSeconds(kStart) + 60);
  EXPECT_EQ(table_.live(), 0u);
}

TEST_F(VideoTableTest, ProgressNeverFallsAndIsNotWholeBeforeTheEnd) {
  const std::string id = Ask();
  Step(Progressed{id, 4, 4});
  EXPECT_EQ(table_.Find(id)->progress, 99);
  Step(Progressed{id, 1, 4});
  EXPECT_EQ(table_.Find(id)->progress, 99);
  EXPECT_EQ(Published(), "");
  Step(Progressed{id, 0, 0});
  EXPECT_EQ(Published(), "");
}

TEST_F(VideoTableTest, ADeletedJobIsCancelledAndLeavesAStone) {
  const std::string id = Ask("k", "http://h/");
  Step(Deleted{id});
  EXPECT_EQ(Count<CancelRun>(id), 1);
  EXPECT_EQ(Count<CallWebhook>(id), 0);
  EXPECT_EQ(Published(), "video.deleted ");
  EXPECT_EQ(table_.Find(id)->state, State::kDeleted);
  EXPECT_EQ(table_.OfKey("k")->id, id);
  EXPECT_TRUE(table_.List("", 10, false).empty());
  // What the run still says is too late.
  Step(ResultGrew{id, 5});
  Step(Ended{.id = id});
  EXPECT_TRUE(actions_.empty());
  EXPECT_EQ(table_.stored_bytes(), 0u);
}

TEST_F(VideoTableTest, ADeletedResultIsGone) {
  const std::string id = AskAndComplete(10);
  Step(Deleted{id});
  EXPECT_EQ(Count<DropResult>(id), 1);
  EXPECT_EQ(table_.stored_bytes(), 0u);
  Step(Deleted{id});
  EXPECT_TRUE(actions_.empty());
}

TEST_F(VideoTableTest, TheOldestResultsMakeRoom) {
  const std::string first = AskAndComplete(60);
  now_ += Seconds(1);
  const std::string second = AskAndComplete(30);
  now_ += Seconds(1);
  const std::string third = Ask();
  Step(ResultGrew{third, 10});
  EXPECT_EQ(Count<DropResult>(first), 0);
  Step(ResultGrew{third, 1});
  EXPECT_EQ(Count<DropResult>(first), 1);
  EXPECT_EQ(Count<KeepRecord>(first), 1);
  EXPECT_FALSE(table_.Find(first)->has_result);
  EXPECT_TRUE(table_.Find(second)->has_result);
  EXPECT_EQ(table_.stored_bytes(), 41u);
}

// A film that is too large is refused before the finished ones have made room for it.
TEST(TableLimitsTest, AFilmAboveItsShareEvictsNobody) {
  JobTable table({.live_max = 4, .records_max = 8, .store_bytes_max = 100, .film_bytes_max = 25});
  std::vector<JobAction> actions;
  const Time now = FromUnixSeconds(1'800'000'000);
  const auto make = [&](std::uint64_t draw, std::uint64_t bytes) {
    Video video;
    video.id = VideoId{.created_s = 1'800'000'000, .draw = draw, .owner = "r"}.Text();
    table.Step(now, Asked{video}, actions);
    for (std::uint64_t i = 0; i < bytes; i += 5) table.Step(now, ResultGrew{video.id, 5}, actions);
    table.Step(now, Ended{.id = video.id}, actions);
    return video.id;
  };
  std::vector<std::string> films;
  for (std::uint64_t n = 1; n <= 3; ++n) films.push_back(make(n, 25));
  const std::string huge = make(9, 200);
  EXPECT_EQ(table.Find(huge)->fault.code, "result_too_large");
  for (const std::string& film : films) EXPECT_TRUE(table.Find(film)->has_result) << film;
  EXPECT_EQ(table.stored_bytes(), 75u);
}

TEST_F(VideoTableTest, AResultLargerThanTheStoreFails) {
  const std::string id = Ask();
  Step(ResultGrew{id, 101});
  EXPECT_EQ(Count<CancelRun>(id), 1);
  EXPECT_EQ(Count<DropResult>(id), 1);
  EXPECT_EQ(table_.Find(id)->fault.code, "result_too_large");
  EXPECT_EQ(table_.stored_bytes(), 0u);
}

TEST_F(VideoTableTest, ItIsFullByLiveJobsOnly) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(table_.Admits());
    Ask();
  }
  EXPECT_FALSE(table_.Admits());
  Step(Ended{.id = table_.List("", 1, false).front()->id});
  EXPECT_TRUE(table_.Admits());
  for (int i = 0; i < 20; ++i) AskAndComplete(0);
  EXPECT_EQ(table_.size(), 8u);
  EXPECT_EQ(table_.live(), 3u);
}

TEST_F(VideoTableTest, AKeyedJobThatFailedRunsAgainUnderItsId) {
  const std::string id = Ask("k");
  Step(Ended{.id = id, .fault = {.code = "worker_failed"}});
  Video again = *table_.OfKey("k");
  Step(Asked{again});
  EXPECT_EQ(table_.Find(id)->state, State::kQueued);
  EXPECT_EQ(table_.Find(id)->run, 2u);
  EXPECT_EQ(table_.OfKey("k")->id, id);
  Step(Asked{again});  // it runs
  EXPECT_TRUE(actions_.empty());
}

TEST_F(VideoTableTest, ExpiryTakesEverything) {
  const std::string id = AskAndComplete(10);
  const std::string running = Ask();
  EXPECT_EQ(table_.NextWake(), kStart + Seconds(60));
  now_ = kStart + Seconds(59);
  Step(ClockPassed{});
  EXPECT_NE(table_.Find(id), nullptr);
  now_ = table_.NextWake();
  Step(ClockPassed{});
  EXPECT_EQ(table_.Find(id), nullptr);
  EXPECT_EQ(Count<DropRecord>(id), 1);
  EXPECT_EQ(Count<DropResult>(id), 1);
  EXPECT_NE(table_.Find(running), nullptr);
  EXPECT_EQ(table_.NextWake(), InfiniteFuture());
}

TEST_F(VideoTableTest, WhatRanWhenTheRouterStoppedHasFailed) {
  const std::string done = AskAndComplete(10), ran = Ask("k", "http://h/");
  Step(Started{ran, "eu", "w"});
  Step(ResultGrew{ran, 3});
  JobTable next(Limits());
  std::vector<JobAction> actions;
  for (const std::string& id : {done, ran}) next.Step(now_, Recovered{*table_.Find(id)}, actions);
  EXPECT_EQ(next.Find(done)->state, State::kCompleted);
  EXPECT_EQ(next.stored_bytes(), 10u);
  EXPECT_EQ(next.Find(ran)->state, State::kFailed);
  EXPECT_EQ(next.Find(ran)->fault.code, "router_restarted");
  EXPECT_EQ(next.OfKey("k")->id, ran);
  actions_ = actions;
  EXPECT_EQ(Count<DropResult>(ran), 1);
  EXPECT_EQ(Count<CallWebhook>(ran), 1);
}

TEST_F(VideoTableTest, AWebhookIsOwedUntilItIsSettled) {
  const std::string id = Ask("", "http://h/");
  Step(Ended{.id = id});
  EXPECT_EQ(Count<CallWebhook>(id), 1);
  EXPECT_TRUE(table_.Find(id)->webhook_owed);
  Step(WebhookSettled{id});
  EXPECT_EQ(Count<KeepRecord>(id), 1);
  EXPECT_FALSE(table_.Find(id)->webhook_owed);
}

TEST_F(VideoTableTest, PagesFollowEachOther) {
  std::vector<std::string> ids;
  for (int i = 0; i < 7; ++i) {
    ids.push_back(AskAndComplete(0));
    now_ += Seconds(1);
  }
  Step(Deleted{ids[3]});
  std::vector<std::string> listed;
  for (std::string after; listed.size() < 6;) {
    const auto page = table_.List(after, 2, false);
    ASSERT_EQ(page.size(), 2u);
    for (const Video* video : page) listed.push_back(video->id);
    after = listed.back();
  }
  EXPECT_EQ(listed, (std::vector<std::string>{ids[6], ids[5], ids[4], ids[2], ids[1], ids[0]}));
  EXPECT_TRUE(table_.List(ids[0], 2, false).empty());
  EXPECT_EQ(table_.List("", 1, true).front()->id, ids[0]);
  EXPECT_EQ(table_.List(ids[2], 1, true).front()->id, ids[4]);
}

// One random history, with a disk beside it that does what the table says.
class History {
 public:
  explicit History(std::uint64_t seed) : rng_(seed) {}

  void Turn() {
    now_ += Milliseconds(static_cast<std::int64_t>(rng_.Below(500)));
    const std::string some = ids_.empty() ? "" : ids_[rng_.Below(ids_.size())];
    switch (rng_.Below(8)) {
      case 0:
        return MaybeAsk();
      case 1:
        return Step(Started{some, "eu", "w"});
      case 2:
        return Progress(some);
      case 3:
        return Grow(some);
      case 4:
        return Step(Ended{.id = some, .fault = {.code = rng_.Chance(0.5) ? "worker_failed" : ""}});
      case 5:
        return Step(Deleted{some});
      case 6:
        return Step(rng_.Chance(0.2) ? JobEvent(Forgotten{some}) : JobEvent(ClockPassed{}));
      default:
        return MaybeRestart();
    }
  }

  void Check() const {
    std::uint64_t sum = 0, live = 0;
    for (const auto& [id, bytes] : results_) sum += bytes;
    for (const Video* video : table_->List("", 100, false)) live += IsOver(video->state) ? 0 : 1;
    EXPECT_EQ(table_->stored_bytes(), sum);
    EXPECT_EQ(table_->live(), live);
    EXPECT_LE(table_->size(), kLimits.records_max);
    EXPECT_LE(table_->live(), kLimits.live_max);
    EXPECT_EQ(table_->size(), disk_.size());
    for (const auto& [id, video] : disk_) {
      EXPECT_TRUE(IsOver(video.state) || !IsOver(table_->Find(id)->state)) << "an end is not on the disk";
    }
  }

 private:
  static constexpr TableLimits kLimits{
      .live_max = 6, .records_max = 12, .store_bytes_max = 200, .expiry = Seconds(20)};

  void Step(const JobEvent& event) {
    std::vector<JobAction> actions;
    table_->Step(now_, event, actions);
    for (const JobAction& action : actions) {
      if (const auto* keep = std::get_if<KeepRecord>(&action)) {
        if (const Video* video = table_->Find(keep->id)) disk_[keep->id] = *video;
      }
      if (const auto* record = std::get_if<DropRecord>(&action)) disk_.erase(record->id);
      if (const auto* result = std::get_if<DropResult>(&action)) results_.erase(result->id);
    }
  }

  void MaybeAsk() {
    if (!table_->Admits()) return;
    Video video;
    video.id = VideoId{.created_s = ToUnixSeconds(now_), .draw = rng_.Below(1 << 20), .owner = "r"}.Text();
    video.key = absl::StrCat("k", rng_.Below(4));
    if (const Video* known = table_->OfKey(video.key)) video.id = known->id;
    ids_.push_back(video.id);
    Step(Asked{video});
  }

  void Progress(const std::string& id) {
    const Video* video = table_->Find(id);
    const int before = video == nullptr ? 0 : video->progress;
    Step(Progressed{id, static_cast<std::uint32_t>(rng_.Below(10)), 9});
    EXPECT_GE(video == nullptr ? 0 : video->progress, before);
  }

  void Grow(const std::string& id) {
    const Video* video = table_->Find(id);
    if (video == nullptr || IsOver(video->state)) return;
    const std::uint64_t bytes = rng_.Below(80);
    results_[id] += bytes;
    Step(ResultGrew{id, bytes});
  }

  // kill -9: what is on the disk is all there is.
  void MaybeRestart() {
    if (!rng_.Chance(0.02)) return;
    const std::map<std::string, Video> kept = disk_;
    table_.emplace(kLimits);
    for (const auto& [id, video] : kept) Step(Recovered{video});
    EXPECT_EQ(table_->live(), 0u);
  }

  Rng rng_;
  std::optional<JobTable> table_{std::in_place, kLimits};
  std::map<std::string, Video> disk_;
  std::map<std::string, std::uint64_t> results_;
  std::vector<std::string> ids_;
  Time now_ = kStart;
};

// Bounds hold, sums are right, and what the disk has is what the table says, through any restart.
TEST(JobTablePropertyTest, WhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) {
    History history(seed);
    for (int turn = 0; turn < 300 && !::testing::Test::HasFailure(); ++turn) {
      history.Turn();
      history.Check();
    }
    EXPECT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

// ---- the store that routers share ----

class SharedVideoTableTest : public VideoTableTest {
 protected:
  SharedVideoTableTest() {
    TableLimits limits = Limits();
    limits.shares = true;
    table_ = JobTable(limits);
  }
};

TEST_F(SharedVideoTableTest, AFinishedVideoIsOwedToTheStoreUntilItIsThere) {
  const std::string id = AskAndComplete(10);
  EXPECT_EQ(Count<Share>(id), 1);
  Video video = *table_.Find(id);
  EXPECT_FALSE(video.shared);
  JobTable restarted(table_.limits());
  std::swap(table_, restarted);
  Step(Recovered{video});
  EXPECT_EQ(Count<Share>(id), 1) << "a restart forgets no debt";
  Step(Shared{id});
  EXPECT_EQ(Count<KeepRecord>(id), 1);
  video = *table_.Find(id);
  EXPECT_TRUE(video.shared);
  std::swap(table_, restarted = JobTable(table_.limits()));
  Step(Recovered{video});
  EXPECT_EQ(Count<Share>(id), 0);
}

TEST_F(SharedVideoTableTest, WhatFailedOrIsAnImageStaysHere) {
  const std::string failed = Ask();
  Step(Ended{.id = failed, .fault = {.code = "worker_failed"}});
  EXPECT_EQ(Count<Share>(failed), 0);
  Video image;
  image.id = VideoId{.created_s = 1, .draw = 99, .owner = "r", .image = true}.Text();
  Step(Asked{image});
  Step(Ended{.id = image.id});
  EXPECT_EQ(Count<Share>(image.id), 0);
}

TEST_F(SharedVideoTableTest, GoesFromTheStoreWhenItIsDeletedOrExpires) {
  const std::string deleted = AskAndComplete(10), expires = AskAndComplete(10), early = AskAndComplete(10);
  Step(Shared{deleted});
  Step(Shared{expires});
  Step(Deleted{deleted});
  EXPECT_EQ(Count<Unshare>(deleted), 1);
  // Deleted while it was on its way up.
  Step(Deleted{early});
  EXPECT_EQ(Count<Unshare>(early), 0);
  Step(Shared{early});
  EXPECT_EQ(Count<Unshare>(early), 1);
  Step(Unshared{early});
  EXPECT_FALSE(table_.Find(early)->shared);
  // A restart between the word and the deed.
  const Video owed = *table_.Find(deleted);
  now_ += Seconds(61);
  Step(ClockPassed{});
  EXPECT_EQ(Count<Unshare>(expires), 1);
  Step(Shared{expires});
  EXPECT_EQ(Count<Unshare>(expires), 1) << "it arrived after its end";
  now_ = kStart;
  Step(Recovered{owed});
  EXPECT_EQ(Count<Unshare>(deleted), 1);
}

// store_bytes_max is 100.
TEST_F(SharedVideoTableTest, WhatIsInTheStoreMakesRoomFirst) {
  const std::string alone = AskAndComplete(40), shared = AskAndComplete(40);
  Step(Shared{shared});
  const std::string third = AskAndComplete(40);
  EXPECT_TRUE(table_.Find(alone)->has_result);
  EXPECT_FALSE(table_.Find(shared)->has_result);
  EXPECT_TRUE(table_.Find(third)->has_result);
}

}  // namespace
}  // namespace ringway::gateway
