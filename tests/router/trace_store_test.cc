#include "router/daemon/operations/trace_store.h"

#include <string>

#include "gtest/gtest.h"

namespace ringway::router {
namespace {

TEST(TraceStoreTest, KeepsTheNewestAndFindsThemByTheirIds) {
  TraceStore store("r", "home");
  const auto trace = [](std::size_t n) {
    v1::RequestTrace made;
    made.set_request_id("job-" + std::to_string(n));
    for (int i = 0; i < 100; ++i) TraceStore::Add(made, Seconds(i), "offered", "w", "");
    return made;
  };
  const std::size_t count = TraceStore::kTracesMax + 10;
  for (std::size_t n = 0; n < count; ++n) store.Keep(trace(n));
  EXPECT_EQ(store.Tell("job-0").traces_size(), 0);
  EXPECT_EQ(store.Tell("job-9").traces_size(), 0);
  for (const std::size_t n : {std::size_t{10}, count / 2, count - 1}) {
    const v1::TellReply told = store.Tell("job-" + std::to_string(n));
    ASSERT_EQ(told.traces_size(), 1) << n;
    EXPECT_EQ(told.traces(0).request_id(), "job-" + std::to_string(n));
    EXPECT_EQ(told.traces(0).steps_size(), TraceStore::kStepsMax);
    EXPECT_EQ(told.traces(0).steps_left_out(), 100u - TraceStore::kStepsMax);
  }
  store.Keep(trace(20));  // somebody uses an id again
  EXPECT_EQ(store.Tell("job-20").traces_size(), 2);
  EXPECT_EQ(store.totals().ended(), count + 1);
}

}  // namespace
}  // namespace ringway::router
