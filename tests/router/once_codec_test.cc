// What of views crosses the wire, and what of it is refused. That any bytes do no harm is fuzz_once.cc's.
#include "router/wire/once_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringway::router {
namespace {

using ::testing::HasSubstr;

const Time kAt = FromUnixSeconds(1000);

once::ViewPtr Two() {
  const once::ViewPtr first = once::MakeView({1, 7}, {"a", "b", "c"});
  return once::MakeView({2, 1}, {"a", "b", "d"}, {{.view = first, .left = kAt - Seconds(30)}});
}

TEST(OnceCodec, APullBringsItsViewAndThoseBefore) {
  const once::Request pull{.view = Two()->id, .what = once::PullRequest{.replica = 5, .view = Two()}};
  // Heard by another clock.
  const Time there = kAt + Hours(5);
  const auto heard = DecodeAsk(EncodeAsk(pull, kAt), there);
  ASSERT_TRUE(heard.ok()) << heard.status();
  EXPECT_EQ(heard->view, Two()->id);
  const once::ViewPtr view = std::get<once::PullRequest>(heard->what).view;
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->id, Two()->id);
  EXPECT_EQ(view->names, Two()->names);
  ASSERT_EQ(view->before.size(), 1u);
  EXPECT_EQ(view->before[0].view->id, Two()->before[0].view->id);
  EXPECT_EQ(view->before[0].left, there - Seconds(30));
}

TEST(OnceCodec, AnEarlierReleaseNamesNoView) {
  v1::OnceRequest old = EncodeAsk({.what = once::PullRequest{.replica = 5}}, kAt);
  EXPECT_FALSE(old.has_view());
  const auto heard = DecodeAsk(old, kAt);
  ASSERT_TRUE(heard.ok());
  EXPECT_FALSE(heard->view.stated());
  EXPECT_EQ(std::get<once::PullRequest>(heard->what).view, nullptr);
  EXPECT_EQ(ReadView(v1::Directory(), kAt), nullptr);
}

TEST(OnceCodec, AnAnswerTellsWhatItsRouterKnows) {
  once::Reply reply{.verdict = once::Verdict::kOldView, .view = Two()->id};
  reply.views = {{.view = Two(), .whole = true}, {.view = Two()->before[0].view, .left = kAt - Seconds(3)}};
  reply.since = Two()->id;
  const auto heard = DecodeReply(EncodeReply(reply, kAt), kAt);
  ASSERT_TRUE(heard.ok()) << heard.status();
  EXPECT_EQ(heard->view, Two()->id);
  EXPECT_EQ(heard->since, Two()->id);
  ASSERT_EQ(heard->views.size(), 2u);
  EXPECT_TRUE(heard->views[0].whole);
  EXPECT_EQ(heard->views[0].left, InfiniteFuture());
  EXPECT_EQ(heard->views[0].view->before.size(), 1u) << "whoever is behind needs them too";
  EXPECT_EQ(heard->views[1].left, kAt - Seconds(3));
}

TEST(OnceCodec, WhatIsNoViewIsRefusedAndNamed) {
  const v1::OnceRequest good = EncodeAsk({.what = once::PullRequest{.replica = 5, .view = Two()}}, kAt);
  v1::OnceRequest bad = good;
  bad.mutable_pull()->mutable_view()->set_version(0);
  EXPECT_THAT(std::string(DecodeAsk(bad, kAt).status().message()), HasSubstr("view.version"));
  bad = good;
  bad.mutable_pull()->mutable_view()->add_routers("");
  EXPECT_THAT(std::string(DecodeAsk(bad, kAt).status().message()), HasSubstr("view.routers"));
  bad = good;
  v1::OnceView* before = bad.mutable_pull()->mutable_view()->mutable_before(0);
  *before->add_before() = good.pull().view().before(0);
  EXPECT_THAT(std::string(DecodeAsk(bad, kAt).status().message()), HasSubstr("view.before"));
}

// The next round of a claim of the last one would be the first.
TEST(OnceCodec, ARoundThatNobodyReachesIsRefused) {
  once::ClaimRequest claim{.key = "k", .fingerprint = 1, .claim = {.round = 1, .owner = 7, .life = 1}};
  for (const auto& [round, fits] : {std::pair(0u, false), std::pair(1u, true), std::pair(kOnceRoundMax, true),
                                    std::pair(kOnceRoundMax + 1, false), std::pair(~0u, false)}) {
    claim.claim.round = round;
    const auto read = DecodeAsk(EncodeAsk({.view = Two()->id, .what = claim}, kAt), kAt);
    EXPECT_EQ(read.ok(), fits) << round << ": " << read.status();
    if (!fits) {
      EXPECT_THAT(std::string(read.status().message()), HasSubstr("claim.round"));
    }
  }
}

TEST(OnceCodec, ADirectoryThatHasAViewNamesAllItsRouters) {
  v1::Directory directory;
  directory.set_view_epoch(2);
  directory.set_view_version(1);
  for (const char* name : {"b", "a", "d"}) directory.add_routers()->set_name(name);
  v1::PastView* past = directory.add_before();
  past->set_epoch(1);
  past->set_version(7);
  for (const char* name : {"a", "b", "c"}) past->add_routers(name);
  past->set_left_s(30);
  const once::ViewPtr view = ReadView(directory, kAt);
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->id, Two()->id);
  ASSERT_EQ(view->before.size(), 1u);
  EXPECT_EQ(view->before[0].view->id, Two()->before[0].view->id);
  EXPECT_EQ(view->before[0].left, kAt - Seconds(30));
}

}  // namespace
}  // namespace ringway::router
