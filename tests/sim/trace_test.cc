#include "sim/demand/trace.h"

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

// As the records of a job table are exported.
TEST(TraceTest, KnowsTheNamesOfJobTables) {
  const auto trace = ParseTraceJobs(
      "id,created_at,exec_time_seconds\na,2024-11-15 16:57:50,32.0\nb,2024-11-15 16:57:55,43.5\n", "t.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->offsets_s, (std::vector<double>{0, 5}));
  EXPECT_EQ(trace->service_s, (std::vector<double>{32, 43.5}));
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

TEST(TraceTest, JobsComeWithWhatTheFileTellsOfThem) {
  const char* text =
      "Time_s,duration (ms),Model,user_id,prio,timeout_s,Region,cost,prompt\n"
      "5,1500,small,bob,high,30,east,2,plain\n"
      "3,250,large,ann,low,,west,,\"a, quoted \"\"one\"\"\"\n"
      "9,,small,ann,high,10,east,6,x\n";
  const auto trace = ParseTraceJobs(text, "t.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  // In the order of arrival, whatever the order of lines.
  EXPECT_EQ(trace->offsets_s, (std::vector<double>{0, 2, 6}));
  EXPECT_EQ(trace->service_s, (std::vector<double>{0.25, 1.5, Trace::kNotRecorded}));
  EXPECT_EQ(trace->deadline_s, (std::vector<double>{Trace::kNotRecorded, 30, 10}));
  EXPECT_EQ(trace->size, (std::vector<double>{Trace::kNotRecorded, 2, 6}));
  EXPECT_EQ(trace->tier.names, (std::vector<std::string>{"small", "large"}));
  EXPECT_EQ(trace->tier.of, (std::vector<std::uint32_t>{1, 0, 0}));
  EXPECT_EQ(trace->tenant.names, (std::vector<std::string>{"bob", "ann"}));
  EXPECT_EQ(trace->priority.of, (std::vector<std::uint32_t>{1, 0, 0}));
  EXPECT_EQ(trace->region.names[trace->region.of[0]], "west");

  TraceColumns columns;
  columns[TraceField::kSize] = {"ContextTokens"};
  columns[TraceField::kRegion] = {std::string(TraceColumns::kLeftOut)};
  const auto named =
      ParseTraceJobs("timestamp,Region,size,ContextTokens\n0,x,7,400\n1,y,8,600\n", "t.csv", columns);
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(named->size, (std::vector<double>{400, 600}));
  EXPECT_TRUE(named->region.of.empty());
  EXPECT_TRUE(named->service_s.empty());
}

TEST(TraceTest, AFirstChoiceOfNamesGoesBeforeASecond) {
  const auto trace = ParseTraceJobs("arrival,model,tier,time\n1,m,fast,5\n2,m,fast,9\n", "t.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->offsets_s.back(), 4);
  EXPECT_EQ(trace->tier.names, (std::vector<std::string>{"fast"}));
}

TEST(TraceTest, ADeadlineMayBeADate) {
  const auto dates = ParseTraceJobs(
      "timestamp,deadline\n2023-11-16 18:00:00,2023-11-16 18:00:30\n2023-11-16 18:00:10,\n", "t.csv");
  ASSERT_TRUE(dates.ok()) << dates.status();
  EXPECT_EQ(dates->deadline_s, (std::vector<double>{30, Trace::kNotRecorded}));
  EXPECT_EQ(dates->since_1970_s, 1700157600);
}

TEST(TraceTest, BrokenCellsOfJobsAreNamed) {
  struct Case {
    const char* text;
    const char* expected;
  };
  for (const Case& c : {
           Case{"time,duration\n0,5\n", "t.csv:1: column 'duration' (service) has no unit"},
           Case{"time,duration\n0,5.25\n", "t.csv:1: column 'duration' (service) has no unit"},
           Case{"time,deadline\n0,5\n", "t.csv:1: column 'deadline' (deadline) has no unit"},
           Case{"time,duration_s\n0,5\n1,long\n", "t.csv:3:3: column 2 (service): 'long'; allowed: a number"},
           Case{"time,duration_s\n0,-1\n",
                "t.csv:2:3: column 2 (service): '-1'; allowed: a number of at least 0"},
           Case{"time,duration_s\n0\n", "t.csv:2:2: no column 2"},
           Case{"time,duration_s\n0,1e300\n",
                "t.csv:2:3: column 2 (service): '1e300'; allowed: at most 100 days"},
           Case{"time,deadline_s\n0,1700000000\n",
                "t.csv:2:3: column 2 (deadline): '1700000000'; allowed: at most"},
           Case{"time,size\n0,0\n", "t.csv:2:3: column 2 (size): '0'; allowed: a number above 0"},
           Case{"time,deadline_s\n0,2023-11-16 18:00:00\n", "t.csv:2:3: column 2 (deadline): a date, but"},
           Case{"timestamp,deadline\n2023-11-16 18:00:00,2023-11-16 17:00:00\n",
                "t.csv:2:21: column 2 (deadline): '2023-11-16 17:00:00' is not after the arrival"},
       }) {
    const auto trace = ParseTraceJobs(c.text, "t.csv");
    ASSERT_FALSE(trace.ok()) << c.text;
    EXPECT_EQ(trace.status().message().find(c.expected), 0u) << trace.status();
    EXPECT_TRUE(ParseTraceCsv(c.text, "t.csv").ok() ||
                std::string_view(c.text).find("0\n") != std::string_view::npos)
        << "whose times alone are wanted reads no other cell";
  }
}

TEST(TraceTest, GapCvTellsBurstsFromAClock) {
  EXPECT_EQ(ParseTraceCsv("time\n0\n1\n2\n3\n", "t.csv")->GapCv(), 0);
  EXPECT_GT(ParseTraceCsv("time\n0\n0\n0\n0\n0\n0\n60\n", "t.csv")->GapCv(), 2);
}

}  // namespace
}  // namespace ringway::sim
