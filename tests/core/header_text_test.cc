#include "core/header_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/rng.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;

TEST(HeaderTextTest, TakesPrintableAsciiAsItIs) {
  for (const char* text : {"", "a", "eu-west-1", " ~", "100 % of ring 2"}) {
    ASSERT_TRUE(HeaderText::Parse(text)) << text;
    EXPECT_EQ(HeaderText::Parse(text)->text(), text);
    EXPECT_EQ(HeaderText::Escaped(text).text(), text);
  }
}

TEST(HeaderTextTest, EveryOtherByteIsRefusedOrEscaped) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b";
    const bool fits = byte >= 0x20 && byte <= 0x7e;
    EXPECT_EQ(HeaderText::Parse(text).has_value(), fits) << byte;
    EXPECT_EQ(HeaderText::Escaped(text).text() == text, fits) << byte;
  }
  EXPECT_EQ(HeaderText::Escaped("\xc3\xa9\r\n").text(), "%C3%A9%0D%0A");
}

// Whatever comes, what leaves is printable and bounded; what is printable and short enough leaves unchanged.
TEST(HeaderTextTest, EscapedTextIsAlwaysHeaderText) {
  Rng rng(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(rng.Below(400), '\0');
    const bool ascii = round % 3 == 0;
    for (char& c : text) c = static_cast<char>(ascii ? 0x20 + rng.Below(95) : rng.Below(256));
    const HeaderText escaped = HeaderText::Escaped(text);
    ASSERT_TRUE(HeaderText::Parse(escaped.text())) << escaped.text();
    if (const auto parsed = HeaderText::Parse(text)) {
      ASSERT_EQ(*parsed, escaped);
    }
    ASSERT_EQ(HeaderText::Escaped(escaped.text()), escaped);
  }
}

TEST(HeaderTextTest, TooLongIsRefusedOrCutBetweenEscapes) {
  const std::string most(HeaderText::kBytesMax, 'x');
  EXPECT_TRUE(HeaderText::Parse(most));
  EXPECT_FALSE(HeaderText::Parse(most + "x"));
  EXPECT_EQ(HeaderText::Escaped(most + "x").text(), most);
  const std::string wide(HeaderText::kBytesMax, '\xe9');
  EXPECT_EQ(HeaderText::Escaped(wide).text().size(), HeaderText::kBytesMax / 3 * 3);
}

TEST(HeaderTextTest, ANameSaysWhatIsWrongAndWhatIsAllowed) {
  EXPECT_TRUE(HeaderText::CheckName("--name", "eu-1").ok());
  EXPECT_THAT(std::string(HeaderText::CheckName("--name", "").message()), HasSubstr("--name has 0 bytes"));
  EXPECT_THAT(std::string(HeaderText::CheckName("--name", std::string(129, 'x')).message()),
              HasSubstr("allowed are 1 to 128 printable ASCII characters"));
  const absl::Status odd = HeaderText::CheckName("--name", "z\xc3\xbcrich-1");
  EXPECT_THAT(std::string(odd.message()), HasSubstr("--name is 'z%C3%BCrich-1': byte 2 is 0xc3"));
}

}  // namespace
}  // namespace ringway
