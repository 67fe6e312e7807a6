// What GET /v1/models says.
#include "gateway/model_list.h"

#include <gtest/gtest.h>

namespace ringway::gateway {
namespace {

FleetSummary Fleet(std::initializer_list<const char*> tiers) {
  FleetSummary fleet;
  for (const char* name : tiers) fleet.tiers.push_back({.name = name});
  return fleet;
}

TEST(ModelListTest, BeforeTheFleetIsKnownThereIsNone) {
  const ModelList list;
  EXPECT_EQ(list.all(), R"({"object":"list","data":[]})");
  EXPECT_FALSE(list.Has("animate"));
}

TEST(ModelListTest, TiersStandInOrderOnceEach) {
  ModelList list;
  list.Use(Fleet({"film", "animate", "film"}));
  EXPECT_EQ(list.all(),
            R"({"object":"list","data":[{"id":"animate","object":"model","created":0,"owned_by":"ringway"},)"
            R"({"id":"film","object":"model","created":0,"owned_by":"ringway"}]})");
  EXPECT_EQ(list.Names(), "animate, film");
  EXPECT_EQ(ModelList::One("film"), R"({"id":"film","object":"model","created":0,"owned_by":"ringway"})");
}

TEST(ModelListTest, WhatWorkersHoldStandsBesideTheirTiers) {
  FleetSummary fleet = Fleet({"film"});
  fleet.tiers[0].models.Add("waves-1");
  fleet.tiers[0].models.Add("film");
  ModelList list;
  list.Use(fleet);
  EXPECT_EQ(list.Names(), "film, waves-1");
  EXPECT_TRUE(list.Has("waves-1"));
}

TEST(ModelListTest, WhatTheFleetDoesNotHaveAnyMoreIsGone) {
  ModelList list;
  list.Use(Fleet({"film"}));
  list.Use(Fleet({"picture"}));
  EXPECT_FALSE(list.Has("film"));
  EXPECT_TRUE(list.Has("picture"));
  EXPECT_EQ(
      list.all(),
      R"({"object":"list","data":[{"id":"picture","object":"model","created":0,"owned_by":"ringway"}]})");
}

}  // namespace
}  // namespace ringway::gateway
