// What a video is called in a shared store, and when a store that is away is asked again.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/rng.h"
#include "gateway/jobs/object_key.h"
#include "gateway/jobs/outage.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {
namespace {

TEST(ObjectKeyTest, RecordsBeginWithTheNewestAndIdsComeBack) {
  Rng rng(7);
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i) {
    ids.push_back(VideoId{.created_s = static_cast<std::int64_t>(rng.Next() & 0xffffffff),
                          .draw = rng.Next() & 0xffffffffffff,
                          .owner = i % 2 == 0 ? "eu-1" : "odd/na~me_x"}
                      .Text());
  }
  std::sort(ids.begin(), ids.end());
  std::vector<std::string> records, oldest;
  for (const std::string& id : ids) {
    records.push_back(RecordKey(id));
    oldest.push_back(OldestKey(id));
    for (const std::string& key : {RecordKey(id), OldestKey(id), DeletedKey(id), FilmKey(id)})
      EXPECT_EQ(IdOfKey(key), id);
    EXPECT_TRUE(DeletedKey(id).starts_with(DeletedPrefixOf(id)));
  }
  EXPECT_TRUE(std::is_sorted(records.rbegin(), records.rend()));
  EXPECT_TRUE(std::is_sorted(oldest.begin(), oldest.end()));
}

TEST(ObjectKeyTest, OtherKeysAreOfNoVideo) {
  const std::string id = VideoId{.created_s = 1, .draw = 2, .owner = "a"}.Text();
  const std::string image = VideoId{.created_s = 1, .draw = 2, .owner = "a", .image = true}.Text();
  for (const std::string& key :
       {std::string(), id, "x/" + id, "records/" + id, std::string("records/"), "films/" + image,
        "records/0000_" + id, "deleted/b/" + id, RecordKey(id) + "x"})
    EXPECT_EQ(IdOfKey(key), "") << key;
}

TEST(OutageTest, OneAtATimeAndLessAndLessOften) {
  const Time start = FromUnixSeconds(1000);
  Outage outage;
  EXPECT_TRUE(outage.MayTry(start, 3));
  EXPECT_TRUE(outage.OnFailure(start)) << "people are told at once";
  EXPECT_FALSE(outage.MayTry(start + Milliseconds(900), 0));
  EXPECT_TRUE(outage.MayTry(start + Seconds(1), 0));
  EXPECT_FALSE(outage.MayTry(start + Seconds(1), 1)) << "one is on its way";
  Time now = start;
  int told = 0;
  for (int i = 0; i < 10; ++i) {
    Time next = now;
    while (!outage.MayTry(next, 0)) next += Milliseconds(250);
    EXPECT_LE(next - now, Outage::kPauseMax);
    now = next;
    told += outage.OnFailure(now) ? 1 : 0;
  }
  EXPECT_GE(now - start, Seconds(90));
  EXPECT_LE(told, (now - start) / Outage::kReminder);
  EXPECT_TRUE(outage.OnSuccess());
  EXPECT_FALSE(outage.OnSuccess());
  EXPECT_TRUE(outage.MayTry(now, 3));
}

}  // namespace
}  // namespace ringway::gateway
