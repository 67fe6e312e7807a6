#include "topology/mapping.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Reads one field `f` of `text` by `read` and returns the first problem's line, or "".
template <class Read>
std::string Problem(std::string_view text, Read read) {
  Problems problems("t");
  const YamlFile file = YamlFile::Parse(text, problems);
  Mapping fields({file.documents().at(0), "spec"}, problems);
  read(fields);
  fields.Finish();
  return problems.empty() ? "" : problems.Describe(problems.all()[0]);
}

std::string NumberProblem(std::string_view text) {
  return Problem(text, [](Mapping& fields) { fields.Number("f", 0, {0, 1, true}); });
}
std::string TimeProblem(std::string_view text) {
  return Problem(text, [](Mapping& fields) { fields.Span("f", ZeroDuration(), Milliseconds(1), Hours(1)); });
}

TEST(MappingTest, NumbersAreFinitePlainAndInRange) {
  for (const char* good : {"f: 0.5", "f: 1", "f: 1e-3", "{}"}) EXPECT_THAT(NumberProblem(good), IsEmpty());
  for (const char* bad : {"f: 0", "f: -1", "f: 1.01", "f: nan", "f: inf", "f: 80%", "f: \"0.5\"", "f: [1]",
                          "f: {}", "f:", "f: 1,5", "f: 0x"}) {
    EXPECT_THAT(NumberProblem(bad), HasSubstr("spec.f: found")) << bad;
  }
  EXPECT_EQ(NumberProblem("f: 7"),
            "t:1:4: spec.f: found \"7\"; allowed: a number above 0 and at most 1; shares are written as 0.8, "
            "not 80");
}

TEST(MappingTest, DurationsNeedTheirUnit) {
  for (const char* good : {"f: 250ms", "f: 1.5s", "f: 1m30s", "f: 1h"})
    EXPECT_THAT(TimeProblem(good), IsEmpty());
  for (const char* bad : {"f: 5x", "f: -1s", "f: 0", "f: 2h", "f: inf", "f: soon"}) {
    EXPECT_THAT(TimeProblem(bad), HasSubstr("a duration with its unit")) << bad;
  }
  EXPECT_THAT(TimeProblem("f: 250"), HasSubstr("the unit is missing"));
}

TEST(MappingTest, NamesAreShortAndPlain) {
  for (const char* good : {"a", "us-east-1", "queue:p99", "A.b_c"}) EXPECT_TRUE(IsName(good)) << good;
  for (const char* bad : {"", "-a", "a b", "a/b", "\xc3\xa9", "a\n"}) EXPECT_FALSE(IsName(bad)) << bad;
  EXPECT_TRUE(IsName(std::string(63, 'x')));
  EXPECT_FALSE(IsName(std::string(64, 'x')));
}

TEST(MappingTest, UnknownKeysAndWordsGetASuggestion) {
  EXPECT_EQ(Problem("ff: 1",
                    [](Mapping& fields) {
                      fields.Number("f", 0, {0, 1});
                    }),
            "t:1:1: spec: found the unknown key \"ff\"; allowed: f; did you mean \"f\"?");
  EXPECT_EQ(Problem("scalin: 1",
                    [](Mapping& fields) {
                      if (fields.Has("scaling")) fields.Number("scaling", 0, {0, 1});
                    }),
            "t:1:1: spec: found the unknown key \"scalin\"; allowed: scaling; did you mean \"scaling\"?");
  EXPECT_EQ(Problem("f: quantil",
                    [](Mapping& fields) {
                      fields.Choice("f", 0, {"sum", "quantile"});
                    }),
            "t:1:4: spec.f: found \"quantil\"; allowed: sum, quantile; did you mean \"quantile\"?");
}

TEST(MappingTest, EveryProblemIsListedOnceTheListIsFullTheRestIsCounted) {
  Problems problems("t");
  for (int i = 0; i < 150; ++i) problems.Add({{i + 1, 1}, "f", "x", "y", ""});
  EXPECT_EQ(problems.all().size(), Problems::kProblemsMax);
  EXPECT_THAT(problems.ToStatus().message(), HasSubstr("t: and 50 more"));
}

TEST(MappingTest, TextOfMessagesIsShortAndPrintable) {
  EXPECT_EQ(Quoted("a\x1b[31m"), "\"a?[31m\"");
  EXPECT_EQ(Quoted(std::string(100, 'x')).size(), 65u);
}

}  // namespace
}  // namespace ringway
