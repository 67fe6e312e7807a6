#include "core/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

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

// The work is linear in the text: four times of anything takes about four times as long, far from sixteen.
// The kernel's part in large allocations is a tenth of a second at most; a quadratic reader takes many.
TEST(Json, FourTimesTheTextIsFourTimesTheWork) {
  const auto repeated = [](std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
  };
  const JsonLimits wide = {.depth_max = 1 << 14, .values_max = 1 << 30};
  // Time in user mode alone: what the kernel takes for fresh pages depends on what else this machine does.
  const auto user_seconds = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) * 1e-6;
  };
  const auto seconds = [&](const std::string& text) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double began = user_seconds();
      (void)Json::Parse(text, "t", wide);
      best = std::min(best, user_seconds() - began);
    }
    return best;
  };
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto texts = [&](std::size_t n) {
    return std::vector<std::string>{
        nested(n / 4096),  // 256 deep: the stack of a sanitized build is used up fast
        "[" + repeated("{},", n) + "0]",
        "[" + repeated("0,", n) + "0]",
        "\"" + repeated("x", n) + "\"",
        "\"" + repeated("\\u00e9", n) + "\"",
        repeated("9", n),
        repeated(" ", n) + "0"};
  };
  const auto once = texts(1 << 18), more = texts(1 << 20);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_LE(seconds(more[i]), 9 * seconds(once[i]) + 0.2) << once[i].substr(0, 10);
  }
}

}  // namespace
}  // namespace ringway
