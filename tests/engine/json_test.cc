#include "engine/checkpoint/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"

namespace ringway::engine {
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

TEST(Json, SurvivesDamagedText) {
  const std::string valid =
      R"({"a":[1,2.5e-3,"\u00e9\ud83d\ude00"],"b":{"c":null,"d":true},"weight_map":{"x.weight":"m-1.safetensors"}})";
  ASSERT_TRUE(FuzzJson(valid));
  int refused = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) refused += FuzzJson(Mutated(valid, i)) ? 0 : 1;
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace ringway::engine
