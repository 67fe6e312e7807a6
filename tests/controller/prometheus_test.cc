// Answers of a Prometheus server: sound ones, broken ones, and a real server where one is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "controller/daemon/prometheus_source.h"
#include "runtime/child_process.h"
#include "runtime/http_server.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

constexpr char kGood[] =
    R"({"status":"success","data":{"resultType":"vector","result":[
       {"metric":{"region":"a"},"value":[1700000000.1,"0.5"]},
       {"metric":{"region":"b"},"value":[1700000000.1,"NaN"]}]}})";

TEST(PrometheusTest, AnswersAreRead) {
  const auto values = ParseQueryAnswer(kGood);
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ((*values)[0].region, "a");
  EXPECT_EQ((*values)[0].value, 0.5);
  EXPECT_TRUE(std::isnan((*values)[1].value)) << "judged where values are aggregated";
}

TEST(PrometheusTest, BrokenAnswersSayWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "JSON"},
      {"<html>", "JSON"},
      {"[]", "JSON"},
      {R"({"status":"error","error":"parse error: unexpected"})", "parse error: unexpected"},
      {R"({"status":"success","data":{"resultType":"matrix","result":[]}})", "'matrix'"},
      {R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"2"]}]}})",
       "'region'"},
      {R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"region":"a"},"value":[1]}]}})",
       "no number"},
      {R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"region":"a"},"value":[1,"x"]}]}})",
       "no number"},
      {R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"region":"a"},"value":[1,"0.3"]},)"
       R"({"metric":{"region":"a"},"value":[1,"0.6"]}]}})",
       "two series have the label region=\"a\""},
  };
  for (const auto& [json, says] : cases) {
    const auto values = ParseQueryAnswer(json);
    ASSERT_FALSE(values.ok()) << json;
    EXPECT_THAT(std::string(values.status().message()), HasSubstr(says));
  }
}

TEST(PrometheusTest, Urls) {
  PrometheusSettings settings;
  ASSERT_TRUE(ParsePrometheusUrl("http://10.0.0.1:9091/", settings).ok());
  EXPECT_EQ(settings.host, "10.0.0.1");
  EXPECT_EQ(settings.port, "9091");
  ASSERT_TRUE(ParsePrometheusUrl("prom", settings).ok());
  EXPECT_EQ(settings.port, "9090");
  EXPECT_FALSE(ParsePrometheusUrl("https://prom:9090", settings).ok());
  EXPECT_FALSE(ParsePrometheusUrl("", settings).ok());
}

class Collected {
 public:
  PrometheusSource::Answer Answer() {
    return [this](const PrometheusQuery& query, absl::StatusOr<std::vector<RegionValue>> values) {
      std::lock_guard lock(mutex_);
      last_[query.metric] = std::move(values);
    };
  }
  absl::StatusOr<std::vector<RegionValue>> Last(const std::string& metric) {
    std::lock_guard lock(mutex_);
    const auto found = last_.find(metric);
    return found == last_.end() ? absl::NotFoundError("nothing yet") : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, absl::StatusOr<std::vector<RegionValue>>> last_;
};

TEST(PrometheusTest, ASilentServerIsReportedAndALaterOneIsFound) {
  auto server = runtime::HttpServer::Start(
      "127.0.0.1:0", {{"/api/v1/query", [] { return runtime::HttpReply{.body = kGood}; }}});
  ASSERT_TRUE(server.ok());
  const std::string address = (*server)->address();
  PrometheusSettings settings;
  settings.period = Milliseconds(20);
  ASSERT_TRUE(ParsePrometheusUrl(address, settings).ok());
  Collected collected;
  PrometheusSource source(settings, collected.Answer());
  source.Ask({{"t", "m", "sum by (region) (x)"}});
  EXPECT_TRUE(live::Eventually([&] { return collected.Last("m").ok(); }));
  server->reset();
  EXPECT_TRUE(live::Eventually([&] { return absl::IsUnavailable(collected.Last("m").status()); }));
}

TEST(PrometheusTest, ARealServerAnswersAQuery) {
  if (!std::filesystem::exists("/usr/bin/prometheus")) {
    GTEST_SKIP() << "/usr/bin/prometheus is not installed (Debian package prometheus)";
  }
  live::ScratchFolder folder;
  const std::string config = folder.File("prometheus.yml");
  std::ofstream(config) << "global: {scrape_interval: 1s}\n";
  // Prometheus cannot choose a port itself: take one that was free a moment ago.
  std::string address;
  {
    auto probe = runtime::HttpServer::Start("127.0.0.1:0", {});
    ASSERT_TRUE(probe.ok());
    address = (*probe)->address();
  }
  auto process = runtime::ChildProcess::Start(
      {"/usr/bin/prometheus", "--config.file=" + config, "--storage.tsdb.path=" + folder.File("data"),
       "--web.listen-address=" + address},
      folder.File("prometheus.log"));
  ASSERT_TRUE(process.ok()) << process.status();
  ASSERT_TRUE(live::Eventually([&] {
    const auto page = live::HttpGet(address, "/-/ready");
    return page && page->status == 200;
  }));
  PrometheusSettings settings;
  settings.period = Milliseconds(100);
  ASSERT_TRUE(ParsePrometheusUrl(address, settings).ok());
  Collected collected;
  PrometheusSource source(settings, collected.Answer());
  source.Ask({{"t", "good", "label_replace(vector(0.25), \"region\", \"a\", \"\", \"\")"},
              {"t", "bad", "sum by ("},
              {"t", "bare", "vector(1)"}});
  ASSERT_TRUE(live::Eventually([&] { return collected.Last("good").ok(); }));
  EXPECT_EQ(collected.Last("good")->at(0).region, "a");
  EXPECT_EQ(collected.Last("good")->at(0).value, 0.25);
  EXPECT_TRUE(live::Eventually([&] { return absl::IsInvalidArgument(collected.Last("bare").status()); }));
  EXPECT_THAT(std::string(collected.Last("bad").status().message()), HasSubstr("refuses the query"));
}

}  // namespace
}  // namespace ringway::controller
