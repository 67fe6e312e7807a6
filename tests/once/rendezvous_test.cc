// Which routers keep a key: the same for everybody, evenly spread, and stable when routers come and go.
#include "router/once/rendezvous.h"

#include <gtest/gtest.h>

#include <map>

namespace ringway::router::once {
namespace {

ReplicaView ViewOf(int self, int routers) {
  ReplicaView view("router-" + std::to_string(self));
  for (int r = 0; r < routers; ++r) {
    if (r != self) view.List(RouterId(static_cast<std::size_t>(r)), "router-" + std::to_string(r));
  }
  return view;
}

std::vector<std::uint64_t> Marks(const std::vector<Replica>& replicas) {
  std::vector<std::uint64_t> marks;
  for (const Replica& replica : replicas) marks.push_back(replica.mark);
  return marks;
}

// Written down, because another release must find the same replicas.
TEST(Rendezvous, HashesStayAsTheyAre) {
  EXPECT_EQ(StableHash("router-0") % 1000, 976u);
  EXPECT_EQ(StableHash("router-1") % 1000, 604u);
  EXPECT_NE(StableHash(""), StableHash(std::string(1, '\0')));
}

TEST(Rendezvous, EveryRouterFindsTheSameReplicasInTheSameOrder) {
  for (int key = 0; key < 200; ++key) {
    const std::string name = "key-" + std::to_string(key);
    const auto expected = Marks(ViewOf(0, 20).Rank(name));
    ASSERT_EQ(expected.size(), kReplicasMax);
    for (int self = 1; self < 20; ++self) EXPECT_EQ(Marks(ViewOf(self, 20).Rank(name)), expected);
  }
}

TEST(Rendezvous, KeysAreSpreadEvenly) {
  const ReplicaView view = ViewOf(0, 10);
  std::map<std::uint64_t, int> kept;
  for (int key = 0; key < 10000; ++key) {
    for (const Replica& k : view.Rank("key-" + std::to_string(key))) ++kept[k.mark];
  }
  for (const auto& [mark, count] : kept) EXPECT_NEAR(count, 3000, 300) << mark;
}

TEST(Rendezvous, OnlyTheKeysOfARouterThatLeftChangeHands) {
  const ReplicaView before = ViewOf(0, 10);
  ReplicaView after = ViewOf(0, 10);
  const std::uint64_t left = after.Unlist(RouterId(4));
  for (int key = 0; key < 1000; ++key) {
    const std::string name = "key-" + std::to_string(key);
    auto was = Marks(before.Rank(name));
    const bool kept = std::erase(was, left) > 0;
    const auto is = Marks(after.Rank(name));
    if (!kept) {
      EXPECT_EQ(is, was);
    } else {
      EXPECT_TRUE(std::equal(was.begin(), was.end(), is.begin())) << "the others stay, in their order";
    }
    EXPECT_EQ(Marks(after.Rank(name, left)), Marks(before.Rank(name)));
  }
}

TEST(Rendezvous, ASmallFleetHasFewerReplicas) {
  EXPECT_EQ(ViewOf(0, 1).quorum(), 1u);
  EXPECT_EQ(ViewOf(0, 2).quorum(), 2u);
  EXPECT_EQ(ViewOf(0, 3).quorum(), 2u);
  EXPECT_EQ(ViewOf(0, 2).Rank("k").size(), 2u);
}

}  // namespace
}  // namespace ringway::router::once
