#include "core/model_set.h"

#include <gtest/gtest.h>

namespace ringway {
namespace {

TEST(ModelSetTest, NothingHeardRefusesNothing) {
  EXPECT_TRUE(ModelSet().Takes("animate", "sora-9"));
  EXPECT_FALSE(ModelSet().Names("sora-9"));
}

TEST(ModelSetTest, WhatNobodyHoldsIsNotTaken) {
  ModelSet models;
  models.Add("animate");
  EXPECT_TRUE(models.Takes("animate", ""));
  EXPECT_TRUE(models.Takes("animate", "animate"));
  EXPECT_FALSE(models.Takes("animate", "wan-2"));
  models.Add("wan-2");
  models.Add("svd");
  models.Add("wan-2");
  EXPECT_EQ(models.names(), (std::vector<std::string>{"animate", "svd", "wan-2"}));
  EXPECT_TRUE(models.Takes("animate", "wan-2"));
  EXPECT_FALSE(models.Takes("animate", "wan"));
}

TEST(ModelSetTest, AServerOfManyTakesAny) {
  ModelSet models;
  models.Add("svd");
  models.Add(std::string(kAnyModel));
  EXPECT_TRUE(models.any());
  EXPECT_TRUE(models.Takes("animate", "sora-9"));
  EXPECT_FALSE(models.Names(kAnyModel));
}

TEST(ModelSetTest, AWorkerOfAnOlderReleaseSaysNothingAndMayHoldAnything) {
  ModelSet models;
  models.Add("");
  EXPECT_TRUE(models.Takes("animate", "sora-9"));
}

TEST(ModelSetTest, BeyondItsBoundItTakesAny) {
  ModelSet models;
  for (std::size_t i = 0; i <= ModelSet::kNamesMax; ++i) models.Add("m" + std::to_string(i));
  EXPECT_EQ(models.names().size(), ModelSet::kNamesMax);
  EXPECT_TRUE(models.any());
}

}  // namespace
}  // namespace ringway
