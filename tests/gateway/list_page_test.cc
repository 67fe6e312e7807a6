// Lists of jobs: what routers say to each other, and that the pages of many are the pages of one.
#include "gateway/jobs/list_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "gateway/jobs/video.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {
namespace {

ListedVideo Listed(std::int64_t created_s, std::uint64_t draw, const std::string& owner) {
  Video video;
  video.id = VideoId{.created_s = created_s, .draw = draw, .owner = owner}.Text();
  video.prompt = "two\nlines, \"quoted\"";
  return {video.id, VideoJson(video, owner)};
}

// The first `limit` behind `after`, as one router gives them.
ListPage PageOf(std::vector<ListedVideo> videos, const ListQuery& query) {
  std::erase_if(videos, [&query](const ListedVideo& video) {
    if (query.after.empty()) return false;
    return query.oldest_first ? video.id <= query.after : video.id >= query.after;
  });
  return MergePages({ListPage{std::move(videos)}}, query);
}

TEST(ListPageTest, LinesAndBack) {
  for (const bool more : {false, true}) {
    ListPage page{.videos = {Listed(5, 7, "eu-1"), Listed(5, 6, "us/2")}, .more = more};
    EXPECT_EQ(ReadPageLines(PageLines(page)), page);
    page.videos.clear();
    EXPECT_EQ(ReadPageLines(PageLines(page)), page);
  }
}

TEST(ListPageTest, WhatWasCutOffIsNoPage) {
  const std::string lines = PageLines({.videos = {Listed(5, 7, "eu-1"), Listed(5, 6, "eu-1")}});
  for (std::size_t size = 0; size < lines.size(); ++size) {
    EXPECT_EQ(ReadPageLines(std::string_view(lines).substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(ReadPageLines(lines + "end\n"), std::nullopt) << "something behind the end";
  EXPECT_EQ(ReadPageLines("{\"id\":\"not one\"}\nend\n"), std::nullopt);
}

TEST(ListPageTest, MoreJobsThanWereAskedForAreNoPage) {
  ListPage page;
  for (std::size_t i = 0; i < ListQuery::kLimitMax; ++i) page.videos.push_back(Listed(1, i, "eu-1"));
  EXPECT_TRUE(ReadPageLines(PageLines(page)));
  page.videos.push_back(Listed(2, 1, "eu-1"));
  EXPECT_EQ(ReadPageLines(PageLines(page)), std::nullopt);
}

// Whatever router has which job: reading page by page gives each job once, in order.
TEST(ListPageTest, PagesOfManyRoutersAreThoseOfOne) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<ListedVideo>> routers(1 + rng.Below(5));
    std::vector<std::string> all;
    for (std::uint64_t n = rng.Below(60); n > 0; --n) {
      const std::size_t owner = rng.Below(routers.size());
      routers[owner].push_back(
          Listed(static_cast<std::int64_t>(rng.Below(4)), rng.Below(1 << 20), absl::StrCat("r", owner)));
      all.push_back(routers[owner].back().id);
    }
    ListQuery query{.limit = 1 + rng.Below(9), .oldest_first = rng.Below(2) == 0};
    std::sort(all.begin(), all.end());
    if (!query.oldest_first) std::reverse(all.begin(), all.end());
    std::vector<std::string> read;
    for (bool more = true; more;) {
      std::vector<ListPage> pages;
      for (const auto& videos : routers) pages.push_back(PageOf(videos, query));
      const ListPage page = MergePages(std::move(pages), query);
      ASSERT_LE(page.videos.size(), query.limit);
      ASSERT_TRUE(!page.more || !page.videos.empty());
      for (const ListedVideo& video : page.videos) read.push_back(video.id);
      more = page.more;
      if (more) query.after = page.videos.back().id;
    }
    ASSERT_EQ(read, all) << "round " << round;
  }
}

TEST(ListPageTest, ThePageNamesWhoIsMissing) {
  const std::string json = PageJson({.videos = {Listed(5, 7, "eu-1")}}, {.silent = {"us-1"}, .not_asked = 3});
  EXPECT_NE(json.find(R"("ringway":{"silent":["us-1"],"not_asked":3,"store_missing":false})"),
            std::string::npos)
      << json;
  EXPECT_NE(PageJson({}, {}).find(R"("data":[],"has_more":false,"first_id":null,"last_id":null)"),
            std::string::npos);
}

}  // namespace
}  // namespace ringway::gateway
