#include "core/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace ringway {
namespace {

TEST(Json, ReadsEveryKind) {
  const auto json = Json::Parse(
      R"( {"a": [1, -2.5e2, true, null], "b": {"c": "x\n\u00e9\ud83d\ude00"}, "d": false} )", "t");
  ASSERT_TRUE(json.ok()) << json.status();
  const Json::Array& a = *json->Find("a")->array();
  EXPECT_EQ(*a[0].integer(), 1);
  EXPECT_EQ(a[1].number(), -250.0);
  EXPECT_EQ(a[1].integer(), nullptr);
  EXPECT_TRUE(*a[2].boolean());
  EXPECT_TRUE(a[3].is_null());
  EXPECT_EQ(*json->Find("b")->Find("c")->string(), "x\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_FALSE(*json->Find("d")->boolean());
  EXPECT_EQ(json->Find("e"), nullptr);
}

TEST(Json, KeepsLargeIntegersExactly) {
  const auto json = Json::Parse("[9007199254740993, 9223372036854775807, 9223372036854775808]", "t");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(*(*json->array())[0].integer(), 9007199254740993);
  EXPECT_EQ(*(*json->array())[1].integer(), INT64_MAX);
  EXPECT_EQ((*json->array())[2].integer(), nullptr);  // beyond 64 bits: a number, never a wrapped offset
}

TEST(Json, RefusesWhatIsNotJsonAndSaysWhere) {
  struct Case {
    const char* text;
    const char* says;
  };
  const Case cases[] = {
      {"", "byte 0: expected a value, found the end"},
      {"{\"a\":1,}", "expected a key in quotes"},
      {"[1,]", "expected a value"},
      {"[1 2]", "',' or ']'"},
      {"{\"a\" 1}", "':'"},
      {"{\"a\":1,\"a\":2}", "found \"a\" twice"},
      {"01", "without leading zeros"},
      {"1.", "a digit after the point"},
      {"1e", "a digit in the exponent"},
      {"1e999", "range of a double"},
      {"\"a", "closing quote"},
      {"\"\x01\"", "no control character"},
      {"\"\\x\"", "a valid escape"},
      {"\"\\ud800\"", "a low surrogate"},
      {"\"\\udc00\"", "a high surrogate"},
      {"nul", "a value"},
      {"1 1", "nothing more"},
  };
  for (const Case& c : cases) {
    const auto json = Json::Parse(c.text, "file.json");
    ASSERT_FALSE(json.ok()) << c.text;
    EXPECT_THAT(std::string(json.status().message()),
                testing::AllOf(testing::HasSubstr("file.json"), testing::HasSubstr(c.says)));
  }
}

TEST(Json, BoundsDepthAndNumberOfValues) {
  EXPECT_FALSE(Json::Parse(std::string(100'000, '['), "t").ok());
  EXPECT_TRUE(Json::Parse("[[1]]", "t", {.depth_max = 2}).ok());
  EXPECT_FALSE(Json::Parse("[[[1]]]", "t", {.depth_max = 2}).ok());
  EXPECT_TRUE(Json::Parse("[1,2]", "t", {.values_max = 3}).ok());
  EXPECT_FALSE(Json::Parse("[1,2,3]", "t", {.values_max = 3}).ok());
}

TEST(Json, BoundsBytes) {
  EXPECT_TRUE(Json::Parse("[1,2]", "t", {.bytes_max = 5}).ok());
  const auto json = Json::Parse("[1,2] ", "t", {.bytes_max = 5});
  ASSERT_FALSE(json.ok());
  EXPECT_THAT(std::string(json.status().message()), testing::HasSubstr("at most 5 bytes, found 6"));
}

// The work is linear in the text: sixteen times of anything takes about sixteen times as long, far from 256.
// The quickest of many readings counts, in memory that the process keeps: a busy machine and a kernel that
// hands out fresh pages are slow now and then, a slow reader is slow every time.
TEST(Json, SixteenTimesTheTextIsSixteenTimesTheWork) {
  const auto repeated = [](std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
  };
  const JsonLimits wide = {.depth_max = 1 << 14, .values_max = 1 << 30};
  const auto seconds = [&](const std::string& text) {
    const auto began = std::chrono::steady_clock::now();
    (void)Json::Parse(text, "t", wide);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto texts = [&](std::size_t n) {
    return std::vector<std::string>{
        nested(n / 256),  // 256 deep: the stack of a sanitized build is used up fast
        "[" + repeated("{},", n) + "0]",
        "[" + repeated("0,", n) + "0]",
        "\"" + repeated("x", n) + "\"",
        "\"" + repeated("\\u00e9", n) + "\"",
        repeated("9", n),
        repeated(" ", n) + "0"};
  };
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  constexpr int kReadingsMin = 3, kReadingsMax = 10;
  const auto once = texts(1 << 12), more = texts(1 << 16);
  for (std::size_t i = 0; i < once.size(); ++i) {
    double once_s = std::numeric_limits<double>::infinity(), more_s = once_s;
    for (int k = 0; k < kReadingsMin || (k < kReadingsMax && more_s > 64 * once_s); ++k) {
      once_s = std::min(once_s, seconds(once[i]));
      more_s = std::min(more_s, seconds(more[i]));
    }
    EXPECT_LE(more_s, 64 * once_s) << once[i].substr(0, 10);
  }
}

}  // namespace
}  // namespace ringway
