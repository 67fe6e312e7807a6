// A worker that fails every job within milliseconds looks idle all the time, and would draw every job to
// itself. It is left alone after a few, by probes and by the ledger, while the others serve; and it comes
// back to use when it works again.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"
#include "tests/router/http/plain_worker.h"

namespace ringway::live {
namespace {

constexpr char kSinkhole[] = "oslo-0-w0";

class SinkholeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SinkholeTest, IsLeftAloneWhileTheRestServe) {
  // Its backend's server is well and refuses every job at once.
  http_test::PlainWorker broken([](const http_test::Request& request, http_test::Wire& wire) {
    http_test::ReadBody(request, wire);
    return http_test::Respond(wire, request.method() == "GET" ? 200 : 500, "broken");
  });
  SmallWorld world({.regions = {{"oslo", 2, 3}},
                    .service_mean_s = 0.2,
                    .dispatch = absl::StrCat("{mode: ", GetParam(), "}"),
                    .flags_of = {{kSinkhole,
                                  {"--backend", "http", "--http-upstream",
                                   absl::StrCat("http://", broken.address(), "/")}}}});
  ASSERT_TRUE(world.AwaitReady());
  OpenLoop load({.routers = world.Doors("oslo"), .tier = kTier, .rps = 12, .span = Seconds(8)});
  load.Start();
  const auto records = load.Finish();
  std::size_t by_sinkhole = 0, late = 0, late_done = 0;
  for (const JobRecord& record : records) {
    by_sinkhole += record.end.trace().worker() == kSinkhole;
    if (record.sent < records.front().sent + Seconds(3)) continue;
    ++late;
    late_done += record.done();
  }
  ASSERT_GE(records.size(), 60u);
  // Without isolation it takes most of the jobs, because it is idle whenever somebody looks. Two routers that
  // probe learn it one after the other: three failures each, then one for each trial.
  EXPECT_GE(by_sinkhole, 1u) << "nobody tried it: the test shows nothing";
  EXPECT_LE(by_sinkhole, 14u) << "of " << records.size() << " jobs\n" << Failures(records);
  EXPECT_GE(static_cast<double>(late_done), 0.9 * static_cast<double>(late)) << Failures(records);
}
INSTANTIATE_TEST_SUITE_P(BothModes, SinkholeTest, ::testing::Values("probe", "ledger"));

}  // namespace
}  // namespace ringway::live
