#include "cli/demo/observer.h"

#include <chrono>

namespace ringway::demo {

Observer::Observer(const std::string& controller) : admin_(controller, ""), thread_([this] { Watch(); }) {}

Observer::~Observer() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

Observation Observer::Latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Observer::Ask() {
  absl::StatusOr<v1::StatusReply> status = admin_.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  absl::StatusOr<v1::RoutingTable> table = admin_.Call(&v1::Admin::Stub::GetTable, v1::GetTableRequest());
  const std::lock_guard lock(mutex_);
  if (!status.ok() || !table.ok()) {
    ++latest_.failures;
    return;
  }
  ++latest_.answers;
  latest_.status = *std::move(status);
  latest_.table = *std::move(table);
}

void Observer::Watch() {
  for (;;) {
    Ask();
    std::unique_lock lock(mutex_);
    if (stop_.wait_for(lock, std::chrono::milliseconds(500), [this] { return stopped_; })) return;
  }
}

double PlannedAwayShare(const v1::RoutingTable& table, const std::string& region) {
  if (table.tiers_size() == 0) return 0;
  for (const v1::Row& row : table.tiers(0).rows()) {
    const bool named = row.source() < static_cast<std::uint32_t>(table.regions_size()) && row.priority() == 0;
    if (!named || table.regions(static_cast<int>(row.source())) != region) continue;
    double home = 0;
    for (const v1::Route& route : row.routes()) {
      if (route.target() == row.source()) home += route.fraction();
    }
    return 1 - home;
  }
  return 0;
}

}  // namespace ringway::demo
