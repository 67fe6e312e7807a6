#include "cli/text_table.h"

#include "gtest/gtest.h"

namespace ringway::cli {
namespace {

TEST(TextTableTest, AlignsWordsLeftAndNumbersRight) {
  TextTable table({{"REGION"}, {"LOAD", Align::kRight}, {"WHY"}});
  table.Add({"us-east-1", "0.9", "hot"});
  table.Add({"x", "10.25"});
  EXPECT_EQ(table.Render(false),
            "REGION      LOAD  WHY\n"
            "us-east-1    0.9  hot\n"
            "x          10.25\n");
}

TEST(TextTableTest, ColourDoesNotCountAsWidth) {
  TextTable table({{"A"}, {"B"}});
  table.Add({Cell("bad", Style::kBad), "x"});
  table.Add({"plain", "y"});
  EXPECT_EQ(table.Render(true),
            "\x1b[1mA\x1b[0m      \x1b[1mB\x1b[0m\n\x1b[31;1mbad\x1b[0m    x\nplain  y\n");
  EXPECT_EQ(table.Render(false), "A      B\nbad    x\nplain  y\n");
}

TEST(TextTableTest, WidthCountsCodePoints) {
  EXPECT_EQ(DisplayWidth("S\xc3\xa3o Paulo"), 9u);
  TextTable table({{"PLACE"}, {"N", Align::kRight}});
  table.Add({"S\xc3\xa3o", "1"});
  EXPECT_EQ(table.Render(false), "PLACE  N\nS\xc3\xa3o    1\n");
}

TEST(TextTableTest, SurplusCellsAreDropped) {
  TextTable table({{"A"}});
  table.Add({"x", "y"});
  EXPECT_EQ(table.Render(false), "A\nx\n");
}

}  // namespace
}  // namespace ringway::cli
