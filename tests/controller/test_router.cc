#include "tests/controller/test_router.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/table_codec.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"

namespace ringway::controller {

TestRouter::TestRouter(const std::string& controller, std::string name, std::string region,
                       const std::string& token)
    : name_(std::move(name)),
      region_(std::move(region)),
      stub_(v1::Control::NewStub(runtime::MakeChannel(controller, runtime::kFleetBytesMax, token))),
      stream_(stub_->Connect(&context_)),
      reader_([this] { Read(); }) {}

TestRouter::~TestRouter() {
  context_.TryCancel();
  reader_.join();
}

void TestRouter::Read() {
  v1::ControllerMessage message;
  while (stream_->Read(&message)) {
    std::lock_guard lock(mutex_);
    if (message.has_welcome()) news_.welcomes.push_back(message.welcome());
    if (message.has_fleet_map()) news_.maps.push_back(message.fleet_map());
    if (message.has_directory()) news_.directories.push_back(message.directory());
    if (message.has_table()) news_.tables.push_back(message.table());
    if (message.has_orders_recorded()) news_.recorded.push_back(message.orders_recorded());
  }
  grpc::Status status = stream_->Finish();
  std::lock_guard lock(mutex_);
  news_.status = std::move(status);
  news_.ended = true;
}

bool TestRouter::Send(const v1::RouterMessage& message) { return stream_->Write(message); }

void TestRouter::Hello(std::uint64_t table_epoch, std::uint64_t table_version) {
  v1::RouterMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_wire_version(wire::kWireVersion);
  hello.set_router(name_);
  hello.set_region(region_);
  hello.set_address("127.0.0.1:1");
  hello.set_table_epoch(table_epoch);
  hello.set_table_version(table_version);
  Send(message);
}

void TestRouter::Report(const std::string& tier, int workers, std::uint64_t entered, double busy_share) {
  const RouterNews now = news();
  v1::RouterMessage message;
  v1::Report& report = *message.mutable_report();
  report.set_wire_version(wire::kWireVersion);
  report.set_period_s(1);
  if (!now.tables.empty()) {
    report.set_table_epoch(now.tables.back().epoch());
    report.set_table_version(now.tables.back().version());
    report.set_epoch_seen_max(now.tables.back().epoch());
  }
  v1::TierReport& counts = *report.add_tiers();
  counts.set_tier(tier);
  counts.add_entered(entered);
  v1::Sent& sent = *counts.add_sent();
  sent.set_region(region_);
  sent.set_count(entered);
  for (int w = 0; w < workers; ++w) {
    v1::WorkerReport& worker = *report.add_workers();
    worker.set_name(absl::StrCat(name_, "-w", w));
    worker.set_tier(tier);
    worker.set_address("127.0.0.1:2");
    worker.set_healthy(true);
    worker.set_busy_s(busy_share);
  }
  Send(message);
}

void TestRouter::Leave() { stream_->WritesDone(); }

RouterNews TestRouter::news() const {
  std::lock_guard lock(mutex_);
  return news_;
}

bool TestRouter::Await(const std::function<bool(const RouterNews&)>& condition) const {
  return live::Eventually([&] { return condition(news()); });
}

}  // namespace ringway::controller
