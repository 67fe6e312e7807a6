// How long a drain counts, as it comes over the wire.
#include "proto/drain_codec.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::wire {
namespace {

using ::testing::HasSubstr;

TEST(DrainTermTest, ZeroIsForGoodAndATermIsAsLongAsItSays) {
  EXPECT_EQ(*DrainTermOf(true, 0), InfiniteDuration());
  EXPECT_EQ(*DrainTermOf(false, 0), InfiniteDuration());
  EXPECT_EQ(*DrainTermOf(true, 1.5), Milliseconds(1500));
  EXPECT_EQ(*DrainTermOf(true, kDrainSecondsMax), Hours(30 * 24));
}

TEST(DrainTermTest, WhatIsNoTermIsRefusedByName) {
  for (const double wrong :
       {-1.0, kDrainSecondsMax + 1, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    const auto term = DrainTermOf(true, wrong);
    ASSERT_FALSE(term.ok()) << wrong;
    EXPECT_THAT(std::string(term.status().message()), HasSubstr("for_s is"));
  }
  EXPECT_THAT(std::string(DrainTermOf(false, 60).status().message()), HasSubstr("takes a drain back"));
}

}  // namespace
}  // namespace ringway::wire
