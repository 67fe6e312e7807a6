// Which routers keep a key: the same for everybody, evenly spread, and stable when routers come and go.
#include "router/once/rendezvous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "router/once/view.h"

namespace ringway::router::once {
namespace {

std::vector<std::string> Names(int routers) {
  std::vector<std::string> names;
  for (int r = 0; r < routers; ++r) names.push_back("router-" + std::to_string(r));
  return names;
}

// Written down, because another release must find the same replicas.
TEST(Rendezvous, HashesStayAsTheyAre) {
  EXPECT_EQ(StableHash("router-0") % 1000, 976u);
  EXPECT_EQ(StableHash("router-1") % 1000, 604u);
  EXPECT_NE(StableHash(""), StableHash(std::string(1, '\0')));
}

TEST(Rendezvous, EveryRouterFindsTheSameReplicasInTheSameOrder) {
  std::vector<std::string> names = Names(20);
  const ViewPtr view = MakeView({1, 1}, names);
  std::reverse(names.begin(), names.end());
  const ViewPtr same = MakeView({1, 1}, names);
  EXPECT_EQ(view->id, same->id);
  for (int key = 0; key < 200; ++key) {
    const std::string name = "key-" + std::to_string(key);
    ASSERT_EQ(Rank(name, view->marks).size(), kReplicasMax);
    EXPECT_EQ(Rank(name, view->marks), Rank(name, same->marks));
  }
}

TEST(Rendezvous, ANumberThatWasGivenTwiceIsOfTwoViews) {
  EXPECT_NE(MakeView({1, 1}, Names(3))->id, MakeView({1, 1}, Names(4))->id);
  EXPECT_LT(MakeView({1, 9}, Names(3))->id, MakeView({2, 1}, Names(3))->id);
}

TEST(Rendezvous, KeysAreSpreadEvenly) {
  const ViewPtr view = MakeView({1, 1}, Names(10));
  std::map<std::uint64_t, int> kept;
  for (int key = 0; key < 10000; ++key) {
    for (const std::uint64_t mark : Rank("key-" + std::to_string(key), view->marks)) ++kept[mark];
  }
  for (const auto& [mark, count] : kept) EXPECT_NEAR(count, 3000, 300) << mark;
}

TEST(Rendezvous, OnlyTheKeysOfARouterThatLeftChangeHands) {
  std::vector<std::string> names = Names(10);
  const ViewPtr before = MakeView({1, 1}, names);
  names.erase(names.begin() + 4);
  const ViewPtr after = MakeView({1, 2}, names);
  for (int key = 0; key < 1000; ++key) {
    const std::string name = "key-" + std::to_string(key);
    auto was = Rank(name, before->marks);
    const bool kept = std::erase(was, StableHash("router-4")) > 0;
    const auto is = Rank(name, after->marks);
    if (!kept) {
      EXPECT_EQ(is, was);
    } else {
      EXPECT_TRUE(std::equal(was.begin(), was.end(), is.begin())) << "the others stay, in their order";
    }
  }
}

TEST(Rendezvous, QuorumsMeet) {
  for (std::size_t replicas = 1; replicas <= kReplicasMax; ++replicas) {
    EXPECT_GT(2 * QuorumOf(replicas), replicas) << "two that agree";
    EXPECT_GT(QuorumOf(replicas) + ReadQuorumOf(replicas), replicas) << "one that agrees and one that reads";
  }
  EXPECT_EQ(QuorumOf(3), 2u) << "one lost router stops nobody";
  EXPECT_EQ(ReadQuorumOf(3), 2u);
}

}  // namespace
}  // namespace ringway::router::once
