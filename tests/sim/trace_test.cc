#include "sim/trace.h"

#include "gtest/gtest.h"

namespace ringway::sim {
namespace {

TEST(TraceTest, ReadsNumbersAndDates) {
  const auto seconds = ParseTraceCsv("id,time\na,10.5\nb,11\n\nc,13\n", "t.csv");
  ASSERT_TRUE(seconds.ok()) << seconds.status();
  EXPECT_EQ(seconds->offsets_s, (std::vector<double>{0, 0.5, 2.5}));

  const auto dates = ParseTraceCsv(
      "TIMESTAMP,ContextTokens\r\n2023-11-16 23:59:59.5000000,1\r\n2023-11-17T00:00:01Z,2\r\n", "t.csv");
  ASSERT_TRUE(dates.ok()) << dates.status();
  ASSERT_EQ(dates->offsets_s.size(), 2u);
  EXPECT_NEAR(dates->offsets_s[1], 1.5, 1e-6);
}

TEST(TraceTest, SortsAndCountsLinesOutOfOrder) {
  const auto trace = ParseTraceCsv("time\n3\n1\n2\n", "t.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->offsets_s, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(trace->out_of_order, 1u);
}

TEST(TraceTest, TheUnitIsSaidOrKnownOrAskedFor) {
  struct Case {
    const char* text;
    double last_s;
  };
  for (const Case& c : {
           Case{"timestamp_ms\n0\n3000\n3536999\n", 3536.999}, Case{"Time (ms)\n5\n8\n", 0.003},
           Case{"arrived_at_s\n0\n86400\n", 86400},
           Case{"timestamp\n1700000000\n1700003600\n", 3600},              // seconds since 1970
           Case{"timestamp\n1700000000000\n1700003600000\n", 3600},        // milliseconds
           Case{"timestamp\n1700000000000000\n1700003600000000\n", 3600},  // microseconds
           Case{"time\n0.25\n3600.5\n", 3600.25},
           Case{"time\n0\n12\n600\n", 600},  // as milliseconds it would be over within a second
       }) {
    const auto trace = ParseTraceCsv(c.text, "t.csv");
    ASSERT_TRUE(trace.ok()) << c.text << trace.status();
    EXPECT_NEAR(trace->offsets_s.back(), c.last_s, 1e-6) << c.text;
  }
  const char* either = "timestamp\n0\n3000\n3536999\n";
  const auto asked = ParseTraceCsv(either, "t.csv");
  ASSERT_FALSE(asked.ok()) << "read as " << asked->offsets_s.back() << " s";
  EXPECT_EQ(
      asked.status().message().find("t.csv:1: column 'timestamp' holds whole numbers from 0 to 3536999"), 0u)
      << asked.status();
  EXPECT_NE(asked.status().message().find("unit: ms"), absl::string_view::npos) << asked.status();
  EXPECT_NEAR(ParseTraceCsv(either, "t.csv", "", TraceUnit::kMilliseconds)->offsets_s.back(), 3536.999, 1e-9);
  EXPECT_NEAR(ParseTraceCsv(either, "t.csv", "", TraceUnit::kSeconds)->offsets_s.back(), 3536999, 1e-9);
}

TEST(TraceTest, TakesTheNamedColumn) {
  const auto trace = ParseTraceCsv("time,sent\n1,5\n2,9\n", "t.csv", "sent");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->offsets_s.back(), 4);
}

TEST(TraceTest, BrokenTracesGetAClearError) {
  struct Case {
    const char* text;
    const char* column;
    const char* expected;
  };
  for (const Case& c : {
           Case{"", "", "t.csv:1: the file is empty"},
           Case{" \r\n", "", "t.csv:1: the file is empty"},
           Case{"a,b\n1,2\n", "", "t.csv:1: no time column"},
           Case{"a,b\n1,2\n", "c", "t.csv:1: no column 'c'; found: a, b"},
           Case{"time\n", "", "t.csv:2: no rows"},
           Case{"a,time\n1,1\n2\n", "", "t.csv:3:2: no column 2"},
           Case{"a,time\n1, soon\n", "", "t.csv:2:4: column 2: 'soon'"},
           Case{"time\n1\nyesterday\n", "", "t.csv:3:1: column 1: 'yesterday' is neither"},
           Case{"time\nnan\n", "", "t.csv:2:1: column 1: 'nan'"},
           Case{"time\n1e999\n", "", "t.csv:2:1: column 1"},
           Case{"time\n5\n2023-11-01 00:00:00\n", "", "t.csv:3:1: column 1: dates and numbers"},
           Case{"time\n2023-13-01 00:00:00\n", "", "t.csv:2:1: column 1"},
           Case{"time\n2023-11-01 00:00:00+02:00\n", "", "t.csv:2:1: column 1"},
       }) {
    const auto trace = ParseTraceCsv(c.text, "t.csv", c.column);
    ASSERT_FALSE(trace.ok()) << c.text;
    EXPECT_EQ(trace.status().message().find(c.expected), 0u) << trace.status();
  }
}

TEST(TraceTest, GapCvTellsBurstsFromAClock) {
  EXPECT_EQ(ParseTraceCsv("time\n0\n1\n2\n3\n", "t.csv")->GapCv(), 0);
  EXPECT_GT(ParseTraceCsv("time\n0\n0\n0\n0\n0\n0\n60\n", "t.csv")->GapCv(), 2);
}

}  // namespace
}  // namespace ringway::sim
