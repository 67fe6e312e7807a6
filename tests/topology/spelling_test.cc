#include "topology/spelling.h"

#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(SpellingTest, DistanceCountsEdits) {
  EXPECT_EQ(SpellingDistance("", ""), 0);
  EXPECT_EQ(SpellingDistance("ring", "ring"), 0);
  EXPECT_EQ(SpellingDistance("ring", "RING"), 0);
  EXPECT_EQ(SpellingDistance("ring", "rings"), 1);
  EXPECT_EQ(SpellingDistance("ring", "rign"), 1) << "swapped letters are one slip";
  EXPECT_EQ(SpellingDistance("kitten", "sitting"), 3);
  EXPECT_EQ(SpellingDistance(std::string(500, 'a'), ""), 64) << "long words are cut";
}

TEST(SpellingTest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string_view> known = {"overloadThreshold", "rings", "guard", "refine"};
  EXPECT_EQ(NearestWord("overloadTreshold", known), "overloadThreshold");
  EXPECT_EQ(NearestWord("overload_threshold", known), "overloadThreshold");
  EXPECT_EQ(NearestWord("ring", known), "rings");
  EXPECT_EQ(NearestWord("colour", known), "");
  EXPECT_EQ(DidYouMean("gaurd", known), "did you mean \"guard\"?");
  EXPECT_EQ(DidYouMean("xyz", known), "");
}

}  // namespace
}  // namespace ringway
