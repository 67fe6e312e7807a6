// The history of tables on disk: bounded in bytes and days, whole after any cut, and never in anybody's way.
#include "controller/daemon/history_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "controller/daemon/history_level.h"
#include "controller/wire/past_table.h"
#include "controller/wire/state_codec.h"
#include "runtime/segment.h"
#include "tests/live/daemon_process.h"

namespace ringway::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

const Time kStart = FromUnixSeconds(1'700'000'000);  // 20 s past a full minute

std::shared_ptr<const Fleet> FleetOf(int regions) {
  auto fleet = std::make_shared<Fleet>();
  fleet->world.name = "test";
  Tier tier;
  tier.name = "t";
  for (int r = 0; r < regions; ++r) {
    Region region;
    region.name = absl::StrCat("r", r);
    fleet->world.regions.push_back(region);
    tier.regions.push_back({.workers = 1});
  }
  tier.residency_forbidden.resize(fleet->world.regions.size());
  fleet->tiers.push_back(std::move(tier));
  return fleet;
}

// Version n sends the first region's requests to region n of the fleet.
std::shared_ptr<const RoutingTable> TableOf(const Fleet& fleet, TableVersion version) {
  auto table = std::make_shared<RoutingTable>();
  table->version = version;
  const std::size_t regions = fleet.world.regions.size();
  table->tiers.push_back(HomeTable(TierId(0), regions, 1));
  Route& route = table->tiers[TierId(0)].at(0, RegionId(0)).routes[0];
  route.target = RegionId(version.version % regions);
  route.unlock_load = static_cast<double>(version.version);  // no two are the same
  return table;
}

v1::PastTable Entry(const Fleet& fleet, TableVersion version, Time at) {
  v1::PastTable entry;
  entry.set_epoch(version.epoch);
  entry.set_version(version.version);
  entry.set_at_unix_us(ToUnixMicros(at));
  entry.set_cause("test");
  *entry.mutable_whole() = EncodeWholeTable(*TableOf(fleet, version), fleet);
  return entry;
}

std::uint64_t VersionOf(const std::optional<v1::PastTable>& entry) { return entry ? entry->version() : 0; }

std::uint64_t BytesOf(const std::string& folder) {
  std::uint64_t bytes = 0;
  const auto files = runtime::ListSegments(folder);
  for (const auto& file : *files) bytes += file.bytes;
  return bytes;
}

class HistoryLevelTest : public ::testing::Test {
 protected:
  HistoryLevel Level(Duration span = ZeroDuration(), std::uint64_t bytes_max = 1 << 20) {
    return HistoryLevel(folder_.File("level"), {span, bytes_max, Hours(24 * 7)});
  }
  std::vector<std::uint64_t> Listed(const HistoryLevel& level) {
    std::vector<std::uint64_t> versions;
    notes_.clear();
    level.List(
        InfinitePast(), InfiniteFuture(),
        [&](const v1::PastTable& entry) { versions.push_back(entry.version()); }, notes_);
    return versions;
  }
  live::ScratchFolder folder_;
  std::shared_ptr<const Fleet> fleet_ = FleetOf(5);
  std::vector<std::string> notes_;
};

TEST_F(HistoryLevelTest, FindsByVersionAndByTimeAcrossLives) {
  for (std::uint64_t life = 1; life <= 3; ++life) {
    HistoryLevel level = Level();
    EXPECT_THAT(level.Check(), IsEmpty());
    for (std::uint64_t v = 1; v <= 5; ++v) {
      ASSERT_TRUE(level.Add(Entry(*fleet_, {life, v}, kStart + Minutes(10 * life + v))).ok());
    }
  }
  HistoryLevel level = Level();
  EXPECT_THAT(level.Check(), IsEmpty());
  for (std::uint64_t life = 1; life <= 3; ++life) {
    for (std::uint64_t v = 1; v <= 5; ++v) {
      const TableVersion version{life, v};
      const auto found = level.Find(version);
      ASSERT_TRUE(found.has_value()) << life << "." << v;
      EXPECT_EQ(DecodeUnder(found->whole(), *fleet_)->tiers, TableOf(*fleet_, version)->tiers);
      const auto then = level.FindAt(kStart + Minutes(10 * life + v) + Seconds(59));
      ASSERT_TRUE(then.has_value());
      EXPECT_EQ((TableVersion{then->epoch(), then->version()}), version);
    }
  }
  EXPECT_FALSE(level.Find({2, 9}).has_value());
  EXPECT_FALSE(level.FindAt(kStart).has_value());
  EXPECT_EQ(Listed(level).size(), 15u);
}

TEST_F(HistoryLevelTest, ASpanKeepsWhatWasInForceWhenItEndedAlsoOverAKill) {
  {
    HistoryLevel level = Level(Minutes(1));
    (void)level.Check();
    // 20 s apart.
    for (std::uint64_t v = 1; v <= 8; ++v) {
      ASSERT_TRUE(level.Add(Entry(*fleet_, {1, v}, kStart + Seconds(20 * (v - 1)))).ok());
    }
    EXPECT_THAT(Listed(level), ElementsAre(2, 5)) << "the third minute is not over";
  }
  HistoryLevel next = Level(Minutes(1));
  (void)next.Check();
  next.Hold(Entry(*fleet_, {1, 8}, kStart + Seconds(140)));  // as the level of all tables tells
  ASSERT_TRUE(next.Add(Entry(*fleet_, {2, 1}, kStart + Minutes(10))).ok());
  EXPECT_THAT(Listed(next), ElementsAre(2, 5, 8));
}

TEST_F(HistoryLevelTest, CutAtAnyByteWhatIsBeforeTheCutIsThere) {
  {
    HistoryLevel level = Level();
    (void)level.Check();
    for (std::uint64_t v = 1; v <= 4; ++v) ASSERT_TRUE(level.Add(Entry(*fleet_, {1, v}, kStart)).ok());
  }
  const std::string path = runtime::ListSegments(folder_.File("level"))->at(0).path;
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::size_t seen_max = 0;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, cut);
    HistoryLevel level = Level();
    EXPECT_THAT(level.Check(), IsEmpty()) << "a torn tail is nothing to report at the start";
    const std::vector<std::uint64_t> listed = Listed(level);
    for (std::size_t i = 0; i < listed.size(); ++i) EXPECT_EQ(listed[i], i + 1) << "cut at " << cut;
    EXPECT_GE(listed.size(), seen_max);
    seen_max = listed.size();
    EXPECT_EQ(VersionOf(level.Newest()), listed.size());
    // The next table is written to a file of its own, never behind the tear.
    ASSERT_TRUE(level.Add(Entry(*fleet_, {2, 9}, kStart + Minutes(2))).ok());
    HistoryLevel next = Level();
    (void)next.Check();
    EXPECT_EQ(VersionOf(next.Newest()), 9u);
    EXPECT_EQ(Listed(next).size(), listed.size() + 1);
    fs::remove_all(folder_.File("level"));
    fs::create_directory(folder_.File("level"));
  }
  EXPECT_EQ(seen_max, 4u);
}

TEST_F(HistoryLevelTest, WhatCannotBeReadIsSetAsideAndSaid) {
  {
    HistoryLevel level = Level();
    (void)level.Check();
    ASSERT_TRUE(level.Add(Entry(*fleet_, {1, 1}, kStart)).ok());
  }
  {
    runtime::SegmentWriter writer(folder_.File("level"), 1 << 20);
    v1::PastTable of_the_future = Entry(*fleet_, {9, 9}, kStart);
    of_the_future.set_history_version(kHistoryVersion + 1);
    ASSERT_TRUE(writer.Begin(of_the_future.SerializeAsString()).ok());
    ASSERT_TRUE(writer.Begin("no table").ok());
  }
  HistoryLevel level = Level();
  const std::vector<std::string> said = level.Check();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_THAT(said[0], HasSubstr("history_version is 2; this release reads 1 to 1"));
  EXPECT_THAT(said[1], HasSubstr("is kept as"));
  EXPECT_THAT(Listed(level), ElementsAre(1));
  EXPECT_TRUE(fs::exists(folder_.File("level") + "/journal-0000000000000002.rwj.unreadable"));
  HistoryLevel again = Level();
  EXPECT_THAT(again.Check(), IsEmpty());
}

TEST_F(HistoryLevelTest, ADamagedRecordEndsItsFileAndIsNoted) {
  {
    HistoryLevel level = Level();
    (void)level.Check();
    for (std::uint64_t v = 1; v <= 4; ++v) ASSERT_TRUE(level.Add(Entry(*fleet_, {1, v}, kStart)).ok());
  }
  const std::string path = runtime::ListSegments(folder_.File("level"))->at(0).path;
  const auto size = static_cast<std::streamoff>(fs::file_size(path));
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out).seekp(size - 3).put('\x7f');
  HistoryLevel level = Level();
  (void)level.Check();
  EXPECT_THAT(Listed(level), ElementsAre(1, 2, 3));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("damaged or torn")));
}

TEST_F(HistoryLevelTest, BytesAreBounded) {
  HistoryLevel level = Level(ZeroDuration(), 40'000);
  (void)level.Check();
  for (std::uint64_t v = 1; v <= 3000; ++v) {
    ASSERT_TRUE(level.Add(Entry(*fleet_, {1, v}, kStart + Seconds(v))).ok());
    if (v % 100 == 0) {
      EXPECT_LE(BytesOf(folder_.File("level")), 41'000u);
    }
  }
  const std::vector<std::uint64_t> listed = Listed(level);
  EXPECT_EQ(listed.back(), 3000u);
  EXPECT_GT(listed.size(), 200u) << "deltas are small";
  EXPECT_LT(listed.size(), 3000u);
  for (std::size_t i = 1; i < listed.size(); ++i) EXPECT_EQ(listed[i], listed[i - 1] + 1);
}

TEST_F(HistoryLevelTest, DaysAreBoundedAndAClockThatJumpsAheadLosesNothing) {
  HistoryLevel level = Level();
  (void)level.Check();
  auto add = [&, v = std::uint64_t{0}](Duration at) mutable {
    ASSERT_TRUE(level.Add(Entry(*fleet_, {1, ++v}, kStart + at)).ok());
  };
  for (int hour = 0; hour < 24 * 6; ++hour) add(Hours(hour));
  const std::size_t week = Listed(level).size();
  EXPECT_EQ(week, 24u * 6);
  add(Hours(24 * 1000));  // a wrong clock, for one table
  add(Hours(24 * 6));
  EXPECT_EQ(Listed(level).size(), week + 2);
  for (int hour = 24 * 6 + 1; hour < 24 * 30; ++hour) add(Hours(hour));
  const std::vector<std::uint64_t> listed = Listed(level);
  EXPECT_LE(listed.size(), 24u * 10);
  EXPECT_GE(listed.size(), 24u * 7);
}

TEST_F(HistoryLevelTest, NamesThatChangeBeginANewFile) {
  HistoryLevel level = Level();
  (void)level.Check();
  const auto more = FleetOf(7);
  ASSERT_TRUE(level.Add(Entry(*fleet_, {1, 1}, kStart)).ok());
  ASSERT_TRUE(level.Add(Entry(*more, {1, 2}, kStart + Seconds(1))).ok());
  ASSERT_TRUE(level.Add(Entry(*more, {1, 3}, kStart + Seconds(2))).ok());
  EXPECT_EQ(runtime::ListSegments(folder_.File("level"))->size(), 2u);
  EXPECT_EQ(level.Find({1, 3})->whole().regions_size(), 7);
  EXPECT_EQ(level.Find({1, 1})->whole().regions_size(), 5);
}

// Files that version 1 wrote: readable for as long as this release promises to read version 1.
TEST(HistoryGoldenTest, TheHistoryOfVersion1IsRead) {
  const std::string golden = absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/controller/golden/history");
  const auto fleet = FleetOf(5);
  if (std::getenv("RINGWAY_WRITE_GOLDEN") != nullptr) {
    fs::remove_all(golden);
    HistoryLevel level(golden, {ZeroDuration(), 1 << 20, Hours(24 * 7)});
    (void)level.Check();
    for (std::uint64_t v = 1; v <= 6; ++v) {
      ASSERT_TRUE(level.Add(Entry(*fleet, {1, v}, kStart + Minutes(v))).ok());
    }
  }
  live::ScratchFolder folder;
  fs::copy(golden, folder.File("level"));  // what cannot be read would be set aside
  HistoryLevel level(folder.File("level"), {ZeroDuration(), 1 << 20, Hours(24 * 7)});
  EXPECT_THAT(level.Check(), IsEmpty());
  for (std::uint64_t v = 1; v <= 6; ++v) {
    const auto found = level.FindAt(kStart + Minutes(v));
    ASSERT_TRUE(found.has_value()) << v;
    EXPECT_EQ(DecodeUnder(found->whole(), *fleet)->tiers, TableOf(*fleet, {1, v})->tiers);
  }
}

class HistoryStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<HistoryStore> Open() {
    return std::make_unique<HistoryStore>(folder_.File("history"), HistoryLimits{},
                                          runtime::Logger("test", runtime::LogLevel::kError),
                                          [this](bool good) { (good ? good_ : bad_)++; });
  }
  void Add(HistoryStore& store, TableVersion version, Time at) {
    TrafficNow traffic{.fleet = fleet_, .demand_rps = {}};
    traffic.demand_rps.push_back(IdVector<RegionId, PerPriority<double>>(5, PerPriority<double>{2.0}));
    store.Add({.table = TableOf(*fleet_, version), .traffic = traffic, .at = at, .cause = "planned"});
  }
  static HistoryStore::Listed List(HistoryStore& store, HistoryQuery query = {}) {
    std::promise<HistoryStore::Listed> promise;
    EXPECT_TRUE(store.List(std::move(query),
                           [&](HistoryStore::Listed listed) { promise.set_value(std::move(listed)); }));
    return promise.get_future().get();
  }
  static std::optional<v1::PastTable> At(HistoryStore& store, Time at) {
    std::promise<std::optional<v1::PastTable>> promise;
    EXPECT_TRUE(
        store.FindAt(at, [&](std::optional<v1::PastTable> found) { promise.set_value(std::move(found)); }));
    return promise.get_future().get();
  }
  live::ScratchFolder folder_;
  std::shared_ptr<const Fleet> fleet_ = FleetOf(5);
  std::atomic<int> good_{0}, bad_{0};
};

TEST_F(HistoryStoreTest, TellsWhatMovedNewestFirstAlsoInTheNextLife) {
  {
    auto store = Open();
    Add(*store, {1, 1}, kStart);
    Add(*store, {1, 2}, kStart + Seconds(1));
    store->Stop();
  }
  auto store = Open();
  Add(*store, {2, 3}, kStart + Seconds(2));
  const HistoryStore::Listed listed = List(*store);
  ASSERT_EQ(listed.tables.size(), 3u);
  EXPECT_THAT(listed.notes, IsEmpty());
  EXPECT_EQ(listed.tables[0].epoch(), 2u);
  ASSERT_EQ(listed.tables[0].moved_size(), 1) << "compared with the last of the life before";
  EXPECT_EQ(listed.tables[0].moved(0).rows(), 1u);
  EXPECT_NEAR(listed.tables[0].moved(0).share(), 0.2, 1e-9) << "one of five equal regions";
  EXPECT_THAT(listed.tables[0].moved(0).most(), HasSubstr("r0 -> r3 0 % -> 100 %"));
  EXPECT_EQ(List(*store, {.tier = "", .limit = 1}).tables.size(), 1u);
  EXPECT_EQ(List(*store, {.tier = "", .until = kStart}).tables.size(), 1u);
  store->Stop();
  EXPECT_EQ(good_, 3);
}

// A table a second for two days would be 100 MB of deltas: the table of yesterday noon is there all the same.
TEST_F(HistoryStoreTest, NoiseDoesNotPushOutTheTableOfYesterday) {
  HistoryStore store(folder_.File("history"), {.total_bytes_max = 200'000, .age_max = Hours(24 * 7)},
                     runtime::Logger("test", runtime::LogLevel::kError), [](bool) {});
  const Time noon = kStart + Hours(1);
  std::uint64_t at_noon = 0;
  for (std::uint64_t v = 1; v <= 4000; ++v) {
    const Time at = kStart + Seconds(20 * v);  // 22 hours
    if (at <= noon) at_noon = v;
    Add(store, {1, v}, at);
    if (v % 100 == 0) (void)List(store, {.tier = "", .limit = 1});  // no more waits than a disk can take
  }
  const auto found = At(store, noon);
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(found->version(), at_noon);
  EXPECT_GE(found->version(), at_noon - 180) << "the last of the hour before, at the worst";
  store.Stop();
}

TEST_F(HistoryStoreTest, ADiskThatTakesNothingStopsNobody) {
  std::ofstream(folder_.File("history")) << "a file in place of the folder";
  auto store = Open();
  Add(*store, {1, 1}, kStart);
  EXPECT_EQ(List(*store).tables.size(), 0u);
  EXPECT_EQ(bad_, 1);
  fs::remove(folder_.File("history"));
  Add(*store, {1, 2}, kStart + Seconds(1));
  Add(*store, {1, 3}, kStart + Seconds(2));
  EXPECT_EQ(List(*store).tables.size(), 2u);
  EXPECT_EQ(good_, 2);
  store->Stop();
  EXPECT_FALSE(store->FindAt(kStart, [](std::optional<v1::PastTable>) {}));
  EXPECT_FALSE(store->FindAt(kStart, [](std::optional<v1::PastTable>) {}))
      << "nobody waits for a store that stopped";
}

}  // namespace
}  // namespace ringway::controller
