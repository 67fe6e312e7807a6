// Any history of a controller's streams: whoever has not introduced himself, or whose stream was ended, is
// neither heard nor told; each stream is ended at most once, and by nobody's silence but its own; orders are
// recorded once; no epoch is sent that is not on disk (controller_shell.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "tests/controller/controller_shell.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

constexpr int kHistories = 60;
constexpr int kStepsEach = 900;
constexpr std::size_t kRouterNames = 5;
constexpr std::size_t kOrderNames = 200;

class StreamHistory {
 public:
  explicit StreamHistory(std::uint64_t seed) : rng_(seed, 3) {}

  void Run() {
    for (int i = 0; i < kStepsEach && !testing::Test::HasFailure(); ++i) {
      if (rng_.Below(3) == 0) controller_.now += Milliseconds(rng_.Below(4000));
      controller_.actions.clear();
      Happen();
      Check();
    }
  }
  const TracedController& controller() const { return controller_; }

 private:
  // One that is, was, or will be open.
  StreamId SomeStream() { return 1 + rng_.Below(last_ + 2); }
  StreamId OpenStream() {
    if (controller_.streams.empty()) return SomeStream();
    auto open = controller_.streams.begin();
    std::advance(open, static_cast<std::ptrdiff_t>(rng_.Below(controller_.streams.size())));
    return open->first;
  }
  TableVersion SomeVersion() {
    const std::uint64_t epoch = controller_.node.machine().epoch();
    return {rng_.Below(40) == 0 ? epoch + rng_.Below(3) : epoch, rng_.Below(4)};
  }
  RouterConnected Hello(StreamId stream) {
    return {stream,
            {.router = absl::StrCat("router", rng_.Below(kRouterNames)),
             .region = RegionId(rng_.Below(3)),
             .address = "h:1",
             .table = SomeVersion(),
             .build = "test"}};
  }
  RouterReported Report(StreamId stream) {
    RouterReport report{.sequence = 1, .tiers = {}, .workers = {}, .table = SomeVersion()};
    for (std::size_t worker = rng_.Below(3); worker-- > 0;) {
      report.workers.push_back(
          {.name = absl::StrCat("w", stream, ".", worker), .tier = TierId(0), .address = "w:1"});
    }
    return {stream, std::move(report)};
  }
  OrdersTold Orders(StreamId stream) {
    OrdersTold told{.stream = stream, .orders = {}};
    for (std::size_t i = 1 + rng_.Below(3); i-- > 0;) {
      OrderTold order{
          .number = ++number_, .id = absl::StrCat("order", rng_.Below(kOrderNames)), .who = "ann"};
      if (rng_.Below(10) == 0) order.refusal = "names nobody";
      told.orders.push_back(std::move(order));
    }
    return told;
  }
  void Happen() {
    switch (rng_.Below(16)) {
      case 0:
        return controller_.Step(StreamOpened{++last_});
      case 1:
        if (controller_.streams.size() > 3) controller_.Step(StreamClosed{OpenStream()});
        return;
      case 2:
        controller_.Step(StreamOpened{++last_});
        return controller_.Step(Hello(last_));
      case 3:
        return controller_.Step(Hello(OpenStream()));
      case 4:
        return controller_.Step(Report(SomeStream()));
      case 5:
        if (rng_.Below(4) > 0) return controller_.Step(RouterAcked{OpenStream(), SomeVersion(), true, ""});
        return controller_.Step(MessageRefused{OpenStream(), rng_.Below(2) == 0, "is no message"});
      case 6:
      case 7:
        return Acknowledged(Orders(OpenStream()));
      case 8:
      case 9:
        controller_.now = std::max(controller_.now, controller_.node.NextWake());
        return controller_.Step(Tick{});
      case 10:
        controller_.node.SaveFailed();
        return;
      default:
        return controller_.Step(Report(OpenStream()));
    }
  }
  void Acknowledged(const OrdersTold& told) {
    const auto stream = controller_.streams.find(told.stream);
    const bool heard =
        stream != controller_.streams.end() && stream->second.introduced && !stream->second.ended;
    controller_.Step(told);
    const auto recorded = controller_.Taken<SendRecorded>();
    ASSERT_EQ(recorded.size(), heard ? 1u : 0u);
    if (!heard) return;
    ASSERT_EQ(recorded[0].number, told.orders.back().number);
    for (const OrderTold& order : told.orders) {
      ASSERT_TRUE(!order.refusal.empty() || controller_.orders.contains(order.id));
    }
  }

  void Check() {
    const bool epoch_ended = !controller_.Taken<EpochEnded>().empty();
    for (const EndStream& end : controller_.Taken<EndStream>()) {
      ASSERT_TRUE(end.end != StreamEnd::kSilent || Silent(controller_.streams.at(end.stream)));
    }
    ASSERT_EQ(controller_.node.streams(), controller_.streams.size());
    if (!epoch_ended) return;
    for (const auto& [id, stream] : controller_.streams) {
      ASSERT_TRUE(stream.ended || !Silent(stream)) << "stream " << id;
    }
  }
  bool Silent(const TracedController::Stream& stream) const {
    return controller_.now - stream.heard_at > (stream.introduced ? Seconds(30) : Seconds(10));
  }

  Rng rng_;
  TracedController controller_{MakeFleet(), FromUnixSeconds(1)};
  StreamId last_ = 0;
  std::uint64_t number_ = 0;
};

TEST(ControllerNodeProperty, AnyHistoryOfStreamsIsHeardAndToldInOrder) {
  std::map<StreamEnd, std::size_t> endings;
  std::size_t told = 0, orders = 0, epochs = 0;
  for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    StreamHistory history(seed);
    history.Run();
    if (HasFailure()) return;
    for (const auto& [end, count] : history.controller().endings) endings[end] += count;
    told += history.controller().told.size();
    orders += history.controller().orders.size();
    epochs += history.controller().node.machine().epoch();
  }
  EXPECT_GT(endings[StreamEnd::kRefused], 100u);
  EXPECT_GT(endings[StreamEnd::kSilent], 100u);
  EXPECT_GT(endings[StreamEnd::kReplaced], 100u);
  EXPECT_GT(told, 5000u);
  EXPECT_GT(orders, 1000u);
  EXPECT_GT(epochs, 2u * kHistories);
}

}  // namespace
}  // namespace ringway::controller
