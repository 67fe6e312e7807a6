// A controller's directory becomes numbers: who is left out, who leads, and what is said of a router itself.
#include "router/wire/directory_codec.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/router/two_workers.h"

namespace ringway::router {
namespace {

const std::string kOwn = "router-a";
const Time kReadAt = FromUnixSeconds(9000);

// Gives numbers in the order in which it is asked, as long as there are any.
class CountingNumbers final : public DirectoryNumbers {
 public:
  explicit CountingNumbers(const Fleet& fleet, std::size_t room = 100) : fleet_(fleet), room_(room) {}
  RouterId RouterNamed(const std::string& name) override {
    if (!routers_.contains(name) && routers_.size() >= room_) return {};
    return routers_.try_emplace(name, RouterId(routers_.size())).first->second;
  }
  WorkerId WorkerAt(const std::string& address) override {
    if (!workers_.contains(address) && workers_.size() >= room_) return {};
    return workers_.try_emplace(address, WorkerId(workers_.size())).first->second;
  }
  TierId TierOf(WorkerId, const std::string& said) override {
    return fleet_.FindTier(said).value_or(TierId());
  }

 private:
  const Fleet& fleet_;
  const std::size_t room_;
  std::map<std::string, RouterId> routers_;
  std::map<std::string, WorkerId> workers_;
};

void AddRouter(v1::Directory& directory, const std::string& name, const std::string& region,
               const std::string& address) {
  v1::RouterEntry& entry = *directory.add_routers();
  entry.set_name(name);
  entry.set_region(region);
  entry.set_address(address);
}

void AddWorker(v1::Directory& directory, const std::string& region, const std::string& address,
               const std::string& tier, const std::string& router) {
  v1::WorkerEntry& entry = *directory.add_workers();
  entry.set_region(region);
  entry.set_address(address);
  entry.set_tier(tier);
  entry.set_router(router);
}

class DirectoryCodecTest : public testing::Test {
 protected:
  DirectoryRead ReadIt(std::size_t room = 100) {
    CountingNumbers numbers(fleet_, room);
    return ReadDirectory(directory_, false, {kOwn, region_, fleet_, kReadAt}, numbers);
  }
  v1::LeaderEntry& AddLeader(const std::string& router) {
    v1::LeaderEntry& entry = *directory_.add_leaders();
    entry.set_tier(fleet_.tiers[TierId(0)].name);
    entry.set_router(router);
    entry.set_leader_epoch(3);
    entry.set_appointment(2);
    entry.set_incarnation(77);
    return entry;
  }

  const Fleet fleet_ = FleetOfTwo();
  const std::string region_ = fleet_.world.regions[RegionId(0)].name;
  const std::string other_ = fleet_.world.regions[RegionId(1)].name;
  const std::string tier_ = fleet_.tiers[TierId(0)].name;
  v1::Directory directory_;
};

TEST_F(DirectoryCodecTest, RoutersThatCanBeCalledInRegionsThatAreKnown) {
  AddRouter(directory_, kOwn, region_, "a:7410");
  AddRouter(directory_, "router-b", region_, "b:7410");
  AddRouter(directory_, "router-c", other_, "c:7410");
  AddRouter(directory_, "router-d", region_, "unix:/tmp/socket");
  AddRouter(directory_, "router-e", "atlantis", "e:7410");
  const DirectoryGiven given = ReadIt().heard.given;
  ASSERT_EQ(given.routers.size(), 2u);
  EXPECT_EQ(given.routers[0].name, "router-b");
  EXPECT_EQ(given.routers[1].name, "router-c");
  EXPECT_EQ(given.routers[1].region, RegionId(1));
}

TEST_F(DirectoryCodecTest, WorkersOfTheOwnRegion) {
  AddWorker(directory_, region_, "w:1", tier_, kOwn);
  AddWorker(directory_, other_, "w:2", tier_, kOwn);
  AddWorker(directory_, region_, "w:3", "no such tier", "router-b");
  AddWorker(directory_, region_, "nowhere", tier_, kOwn);
  const DirectoryGiven given = ReadIt().heard.given;
  ASSERT_EQ(given.workers.size(), 2u);
  EXPECT_TRUE(given.workers[0].named_here);
  EXPECT_EQ(given.workers[0].tier, TierId(0));
  EXPECT_FALSE(given.workers[1].named_here);
  EXPECT_FALSE(given.workers[1].tier.valid());
}

TEST_F(DirectoryCodecTest, WhoHasNoNumberIsLeftOutAndToldOf) {
  AddRouter(directory_, "router-b", region_, "b:7410");
  AddRouter(directory_, "router-c", region_, "c:7410");
  AddWorker(directory_, region_, "w:1", tier_, kOwn);
  AddWorker(directory_, region_, "w:2", tier_, kOwn);
  const DirectoryRead read = ReadIt(/*room=*/1);
  EXPECT_TRUE(read.routers_full);
  EXPECT_EQ(read.heard.given.routers.size(), 1u);
  EXPECT_EQ(read.workers_left_out, 1u);
  EXPECT_EQ(read.heard.given.workers.size(), 1u);
}

TEST_F(DirectoryCodecTest, ALeaderHasANumberIfItCanBeCalled) {
  AddRouter(directory_, "router-b", region_, "b:7410");
  AddLeader("router-b");
  AddLeader("router-gone");
  AddLeader("");
  const auto here = ReadIt().heard.leaders.here;
  ASSERT_EQ(here.size(), 3u);
  EXPECT_TRUE(here[0].leader.router.valid());
  EXPECT_EQ(here[0].leader.address, "b:7410");
  EXPECT_EQ(here[0].leader.fence, (Fence{3, 2}));
  EXPECT_FALSE(here[0].leader.self);
  EXPECT_FALSE(here[1].leader.router.valid());
  EXPECT_FALSE(here[2].leader.router.valid());
}

// A router that has been away comes back to a controller that lists it only with the next directory, and that
// has known all the time who leads. Taken for nobody, it would lead and yet have its own jobs probe for ever.
TEST_F(DirectoryCodecTest, ARouterThatLeadsKnowsItselfThoughItIsNotListed) {
  AddRouter(directory_, "router-b", region_, "b:7410");
  AddLeader(kOwn);
  const auto here = ReadIt().heard.leaders.here;
  ASSERT_EQ(here.size(), 1u);
  EXPECT_TRUE(here[0].leader.router.valid());
  EXPECT_TRUE(here[0].leader.self);
  EXPECT_EQ(here[0].leader.incarnation, 77u);
}

TEST_F(DirectoryCodecTest, LeadersElsewhereAreThoseOfOtherRegions) {
  AddRouter(directory_, "router-b", region_, "b:7410");
  AddRouter(directory_, "router-c", other_, "c:7410");
  const auto add = [&](const std::string& router, const std::string& region) {
    v1::LeaderEntry& entry = *directory_.add_leaders_elsewhere();
    entry.set_tier(tier_);
    entry.set_router(router);
    entry.set_region(region);
  };
  add("router-c", other_);
  add("router-b", region_);
  add("router-gone", other_);
  add("router-c", "atlantis");
  const auto elsewhere = ReadIt().heard.leaders.elsewhere;
  ASSERT_EQ(elsewhere.size(), 1u);
  EXPECT_EQ(elsewhere[0].leader.region, RegionId(1));
  EXPECT_EQ(elsewhere[0].leader.address, "c:7410");
}

TEST_F(DirectoryCodecTest, WhatIsSaidOfTheWholeIsKept) {
  directory_.set_epoch(4);
  directory_.set_partial(true);
  DirectoryRead read = ReadIt();
  EXPECT_EQ(read.heard.epoch, 4u);
  EXPECT_TRUE(read.heard.given.partial);
  EXPECT_EQ(read.heard.given.view, nullptr);
  directory_.set_view_epoch(4);
  directory_.set_view_version(9);
  AddRouter(directory_, kOwn, region_, "a:7410");
  read = ReadIt();
  ASSERT_NE(read.heard.given.view, nullptr);
  EXPECT_EQ(read.heard.given.view->names, std::vector<std::string>{kOwn}) << "this router keeps records, too";
}

}  // namespace
}  // namespace ringway::router
