#include "controller/daemon/dashboard.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "controller/screen/hour_codec.h"
#include "runtime/clock.h"

namespace ringway::controller {
namespace {

// How far the date is ahead of the machine's time.
Duration DateAhead() { return runtime::WallNow() - runtime::MonotonicNow(); }

}  // namespace

Dashboard::Dashboard(ControlLoop& control, HistoryCalls& past, TimelineStore& hour, FeedEnd feed,
                     std::string fleet_token)
    : control_(control), past_(past), hour_(hour), feed_(std::move(feed)), traces_(std::move(fleet_token)) {
  RestoreHour();
}

void Dashboard::RestoreHour() {
  const auto bytes = hour_.Load();
  if (!bytes) return;
  const auto& fleet = control_.machine().loaded_fleet();
  auto hour = DecodeHour(*bytes, *fleet, runtime::MonotonicNow(), DateAhead());
  if (!hour.ok()) return hour_.Drop(hour.status());
  timeline_.Restore(fleet, std::move(hour->steps));
  events_.Restore(std::move(hour->events));
}

void Dashboard::SaveHour() {
  if (timeline_.steps().empty() && events_.entries().empty()) return;
  hour_.Save(runtime::MonotonicNow(),
             EncodeHour(timeline_, events_, *control_.machine().loaded_fleet(), DateAhead()));
}

void Dashboard::OnStep(Time now, const ControllerEvent& event, const std::vector<ControllerAction>& actions) {
  events_.Take(runtime::WallNow(), event, actions, control_.machine());
  if (const auto* report = std::get_if<RouterReported>(&event)) outcomes_.Take(now, report->report.tiers);
  for (const ControllerAction& action : actions) {
    if (std::holds_alternative<EpochEnded>(action)) return EndEpoch(now);
  }
}

void Dashboard::EndEpoch(Time now) {
  const ControllerMachine& machine = control_.machine();
  const FleetPicture picture = PictureOf(machine, now);
  events_.EndEpoch(now, runtime::WallNow(), machine, picture);
  if (!machine.settling()) {
    const std::uint64_t ended = timeline_.ended();
    timeline_.Add(now, machine.loaded_fleet(), picture);
    if (timeline_.ended() != ended && hour_.Due(now)) SaveHour();
  }
  if (!feed_.watched() || now < next_frame_at_) return;
  auto frame = std::make_shared<const std::string>(
      absl::StrCat("event: fleet\ndata: ", FleetOf(now, picture), "\n\n"));
  next_frame_at_ =
      now + std::max(kFrameEvery, Seconds(static_cast<double>(frame->size()) / kBytesPerSecondMax));
  feed_.publish(std::move(frame));
}

ScreenView Dashboard::View() const {
  return {control_.machine(), runtime::MonotonicNow(), runtime::WallNow()};
}

std::string Dashboard::FleetOf(Time now, const FleetPicture& picture) const {
  return FleetDocument(View(), picture, events_, timeline_, outcomes_, now - control_.started_at());
}

void Dashboard::FindRequest(const std::string& id, RequestTraces::Answer answer) {
  std::vector<std::string> addresses;
  for (const auto& [name, router] : control_.machine().view().routers()) {
    if (router.stream != 0) addresses.push_back(router.hello.address);
  }
  traces_.Find(addresses, id, std::move(answer));
}

std::string Dashboard::World() const { return WorldDocument(View()); }

std::string Dashboard::Fleet() const {
  const Time now = runtime::MonotonicNow();
  return FleetOf(now, PictureOf(control_.machine(), now));
}

std::string Dashboard::Table() const { return TableDocument(View()); }

std::string Dashboard::Events(std::uint64_t after) const { return EventsDocument(events_, after); }

absl::StatusOr<std::string> Dashboard::Timeline(std::string_view tier) const {
  return TimelineDocument(View(), timeline_, tier);
}

absl::StatusOr<std::string> Dashboard::Region(std::string_view tier, std::string_view region) const {
  return RegionDocument(View(), tier, region);
}

absl::StatusOr<std::string> Dashboard::Workers(std::string_view tier, std::string_view region,
                                               const ListPage& page) const {
  return WorkersDocument(View(), tier, region, page);
}

absl::StatusOr<std::string> Dashboard::Routers(std::string_view region, const ListPage& page) const {
  return RoutersDocument(View(), region, page);
}

absl::StatusOr<std::string> Dashboard::Orders(std::string_view tier) const {
  return OrdersDocument(View(), tier);
}

absl::StatusOr<std::string> Dashboard::DryRun(std::string_view tier, const DryRunEdit& edit) const {
  return DryRunDocument(View(), tier, edit);
}

}  // namespace ringway::controller
