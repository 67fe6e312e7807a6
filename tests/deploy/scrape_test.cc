// What a fleet of real daemons serves on /metrics has everything that the rules and the dashboard read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "runtime/grpc_server.h"
#include "tests/deploy/expressions.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

// Metric -> all labels of all its series.
MetricUses SeriesOn(const std::string& page) {
  static const std::regex sample(R"(^(ringway_[a-z_]+)(\{.*\})? )");
  static const std::regex label(R"(([a-z_]+)=\")");
  MetricUses series;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, sample)) continue;
    std::set<std::string>& labels = series[WithoutSuffix(found[1])];
    const std::string braces = found[2];
    for (std::sregex_iterator it(braces.begin(), braces.end(), label), end; it != end; ++it) {
      labels.insert((*it)[1]);
    }
  }
  return series;
}

void DrainOslo(const SmallWorld& world, const std::string& controller) {
  const auto admin = v1::Admin::NewStub(runtime::MakeChannel(controller));
  grpc::ClientContext context;
  v1::DrainRegionRequest request;
  request.mutable_by()->set_who("test");
  request.set_region("oslo");
  request.set_drain(true);
  v1::ActionReply reply;
  ASSERT_TRUE(admin->Drain(&context, request, &reply).ok());
  ASSERT_TRUE(reply.done()) << reply.message();
  ASSERT_TRUE(world.Status());
}

TEST(ScrapeTest, TheDaemonsServeEveryMetricAndLabelThatRulesAndDashboardRead) {
  SmallWorld world({.regions = {{"oslo", 1, 1}, {"rome", 1, 1}}, .service_mean_s = 0.02, .scaling = "{}"});
  ASSERT_TRUE(world.AwaitReady());
  DrainOslo(world, world.controller().grpc());
  const auto door = world.Door("oslo-0");
  // Until one was served elsewhere: forwards are counted by where they went, so there is no series before.
  ASSERT_TRUE(Eventually([&] {
    const JobAnswer answer = JobCall::ToRouter(*door).Send(Header(kTier), "x").Await();
    return answer.end.trace().region() == "rome";
  }));
  MetricUses served;
  for (const std::string& address :
       {world.controller().http(), world.router("oslo-0").http(), world.worker("rome-0-w0").http()}) {
    const auto page = HttpGet(address, "/metrics");
    ASSERT_TRUE(page);
    served.merge(SeriesOn(page->body));
  }
  const MetricUses wanted = MetricsInExpressions();
  EXPECT_GE(wanted.size(), 30u);
  for (const auto& [metric, labels] : wanted) {
    ASSERT_TRUE(served.contains(metric))
        << metric << " is read by a rule or the dashboard; nothing serves it";
    for (const std::string& label : labels) {
      EXPECT_TRUE(served[metric].contains(label)) << metric << " has no label " << label;
    }
  }
  // What is served is what the sources name: the list that docs/operating.md is checked against is whole.
  const std::set<std::string> known = MetricsInSources();
  for (const auto& [metric, labels] : served) EXPECT_TRUE(known.contains(metric)) << metric;
}

}  // namespace
}  // namespace ringway::live
