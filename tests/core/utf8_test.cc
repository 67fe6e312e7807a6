#include "core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace ringway {
namespace {

TEST(Utf8Test, TellsWellFormedFromTheRest) {
  const std::string continuations(9, '\x80');
  const struct {
    std::string text;
    bool well;
  } cases[] = {
      {"", true},
      {std::string("a\0b", 3), true},
      {"sch\xc3\xb6n", true},
      {"\xe2\x82\xac", true},
      {"\xef\xbf\xbf", true},
      {"\xf0\x90\x80\x80", true},
      {"\xf4\x8f\xbf\xbf", true},
      {"\x80", false},                  // begins nothing
      {"\xff", false},                  // is in no character
      {"\xff" + continuations, false},  // whatever follows it
      {"\xc0" + continuations, false},  //
      {"\xc3", false},                  // cut off
      {"\xe2\x82", false},              //
      {"\xc3(", false},                 // goes on wrongly
      {"\xc1\x81", false},              // overlong
      {"\xe0\x9f\xbf", false},          //
      {"\xf0\x8f\xbf\xbf", false},      //
      {"\xed\xa0\x80", false},          // a surrogate
      {"\xf4\x90\x80\x80", false},      // beyond the last character
      {"\xf5\x80\x80\x80", false},      //
      {"good \xe2\x82\xac, then \xfe", false},
  };
  for (const auto& c : cases) EXPECT_EQ(IsUtf8(c.text), c.well) << testing::PrintToString(c.text);
}

}  // namespace
}  // namespace ringway
