#include "bench/propagation/router_client.h"

#include <cmath>
#include <utility>

#include "proto/table_codec.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::bench {
namespace {

double HomeFraction(const RoutingTable& table, RegionId region) {
  for (const Route& route : table.tiers[TierId(0)].at(0, region).routes) {
    if (route.target == region) return route.fraction;
  }
  return 0;
}

}  // namespace

RouterClient::RouterClient(const std::string& controller, std::string name, RegionId region,
                           std::shared_ptr<const Fleet> fleet)
    : name_(std::move(name)),
      region_(region),
      fleet_(std::move(fleet)),
      stub_(v1::Control::NewStub(runtime::MakeChannel(controller))),
      stream_(stub_->Connect(&context_)),
      reader_([this] { Read(); }) {}

RouterClient::~RouterClient() {
  context_.TryCancel();
  reader_.join();
}

void RouterClient::Hello() {
  v1::RouterMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_wire_version(wire::kWireVersion);
  hello.set_router(name_);
  hello.set_region(fleet_->world.regions[region_].name);
  hello.set_address("127.0.0.1:1");
  std::lock_guard lock(writing_);
  stream_->Write(message);
}

void RouterClient::Report(double period_s, double rps, double busy_share) {
  v1::RouterMessage message;
  v1::Report& report = *message.mutable_report();
  report.set_wire_version(wire::kWireVersion);
  report.set_period_s(period_s);
  const auto newest = Newest();
  v1::TierReport& counts = *report.add_tiers();
  counts.set_tier(fleet_->tiers[TierId(0)].name);
  counts.add_entered(static_cast<std::uint64_t>(std::llround(rps * period_s)));
  v1::Sent& sent = *counts.add_sent();
  sent.set_region(fleet_->world.regions[region_].name);
  const double home = newest ? newest->home_fraction : 1;
  sent.set_count(static_cast<std::uint64_t>(std::llround(rps * period_s * home)));
  v1::WorkerReport& worker = *report.add_workers();
  worker.set_name(name_ + "-w");
  worker.set_tier(fleet_->tiers[TierId(0)].name);
  worker.set_address("127.0.0.1:2");
  worker.set_healthy(true);
  worker.set_busy_s(busy_share * period_s);
  std::lock_guard lock(writing_);
  stream_->Write(message);
}

void RouterClient::Read() {
  v1::ControllerMessage message;
  while (stream_->Read(&message)) {
    if (!message.has_table()) continue;
    const auto table = wire::DecodeTable(message.table(), *fleet_);
    if (!table.ok()) continue;
    v1::RouterMessage reply;
    reply.mutable_ack()->set_epoch(table->version.epoch);
    reply.mutable_ack()->set_version(table->version.version);
    reply.mutable_ack()->set_active(true);
    {
      std::lock_guard lock(mutex_);
      arrivals_.push_back({.planned_at = table->planned_at,
                           .active_at = runtime::MonotonicNow(),
                           .version = table->version.version,
                           .home_fraction = HomeFraction(*table, region_)});
      arrived_.notify_all();
    }
    std::lock_guard lock(writing_);
    stream_->Write(reply);
  }
}

std::optional<Arrival> RouterClient::Newest() {
  std::lock_guard lock(mutex_);
  if (arrivals_.empty()) return std::nullopt;
  return arrivals_.back();
}

std::optional<Arrival> RouterClient::Await(Time planned_after, Duration limit) {
  std::unique_lock lock(mutex_);
  std::optional<Arrival> found;
  arrived_.wait_for(lock, absl::ToChronoMilliseconds(limit), [&] {
    for (const Arrival& arrival : arrivals_) {
      if (arrival.planned_at > planned_after) {
        found = arrival;
        return true;
      }
    }
    return false;
  });
  return found;
}

}  // namespace ringway::bench
