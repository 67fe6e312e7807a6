#include "core/lease.h"

#include <limits>

#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(LeaseTest, ReadsWhatItWrites) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  for (const Lease& lease : {Lease{{3, 1}, 4711}, Lease{}, Lease{{kMax, kMax}, kMax}}) {
    EXPECT_EQ(ParseLease(FormatLease(lease)), lease);
  }
  EXPECT_EQ(FormatLease({{3, 1}, 4711}), "L3-1-4711");
}

TEST(LeaseTest, AnythingElseIsAnUnfencedToken) {
  for (const char* text : {"", "L", "L3", "L3-1", "L3-1-", "l3-1-7", "L3-1-7 ", " L3-1-7", "L-3-1-7",
                           "L3-1-7-9", "L03-1-7", "L3-1-x", "L18446744073709551616-0-0", "0b7c-request-9"}) {
    EXPECT_EQ(ParseLease(text), std::nullopt) << text;
  }
}

TEST(LeaseTest, TheLeadersEpochCountsBeforeTheAppointment) {
  EXPECT_LT((Fence{1, 9}), (Fence{2, 0}));
  EXPECT_LT((Fence{2, 0}), (Fence{2, 1}));
}

}  // namespace
}  // namespace ringway
