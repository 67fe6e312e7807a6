// The router's agent, towards the controller: maps, directories, tables, and their copy on disk.
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/leader_epoch.h"
#include "proto/fleet_codec.h"
#include "proto/table_codec.h"
#include "router/daemon/router_agent.h"
#include "router/fleet_merge.h"
#include "router/wire/control_codec.h"

namespace ringway::router {

v1::Hello RouterAgent::MakeHello() {
  return EncodeHello({.router = settings_.name,
                      .region = settings_.region,
                      .address = settings_.advertise.empty() ? address_ : settings_.advertise,
                      .table = driver_.machine().table(),
                      .build = RINGWAY_BUILD,
                      .incarnation = incarnation_});
}

void RouterAgent::OnWelcome(const std::string& controller, const ControllerWelcomed& welcomed) {
  log_.Info(absl::StrCat("controller ", controller, " welcomes this router, epoch ", welcomed.epoch));
  driver_.Apply(welcomed);
}

void RouterAgent::Do(const EpochForgotten& forgotten) {
  log_.Error(absl::StrCat("epoch ", forgotten.seen,
                          ", which this router had seen, is forgotten: no leader can be more than ",
                          kEpochStepMax, " ahead of a controller of epoch ", forgotten.leader));
  unsaved_ = true;
}

void RouterAgent::OnControllerLost() { driver_.Apply(ControllerLost{}); }

bool RouterAgent::UseFleet(const Fleet& next) {
  auto merged = MergeFleet(*fleet_.fleet, next);
  if (!merged) {
    log_.Error(absl::StrCat("fleet map refused: more than ", kRegionsMax, " regions or ", kTiersMax,
                            " tiers since this router started; restart it"));
    return false;
  }
  if (!next.world.FindRegion(settings_.region)) {
    log_.Error(absl::StrCat("the fleet map has no region '", settings_.region,
                            "', where this router says it stands; check --region"));
  }
  fleet_.fleet = std::make_shared<const Fleet>(std::move(merged->fleet));
  fleet_.retired = std::move(merged->retired);
  FleetHeard heard{.fleet = fleet_.fleet, .tiers = ResolveTiers()};
  if (state_.has_directory()) {
    read_ = state_.directory();
    heard.directory = ReadDirectory(read_, /*from_disk=*/true);
  }
  driver_.Apply(heard);
  sessions_.LogLed();
  return true;
}

void RouterAgent::OnFleetMap(const v1::FleetMap& message) {
  const auto fleet = wire::DecodeFleet(message);
  if (!fleet.ok()) {
    log_.Error(absl::StrCat("fleet map refused: ", fleet.status().message()));
    return;
  }
  if (!UseFleet(*fleet)) return;
  learns_tiers_ = false;
  *state_.mutable_fleet_map() = message;
  unsaved_ = true;
}

void RouterAgent::OnDirectory(const v1::Directory& message) { ApplyDirectory(message, /*from_disk=*/false); }

void RouterAgent::OnTable(const v1::RoutingTable& message) { TakeTable(message, false); }

void RouterAgent::TakeTable(const v1::RoutingTable& message, bool from_disk) {
  auto table = wire::DecodeTable(message, *fleet_.fleet);
  if (!table.ok()) {
    const TableDecided refused{.version = {message.epoch(), message.version()},
                               .active = false,
                               .from_disk = from_disk,
                               .refusal = std::string(table.status().message())};
    Do(refused);
    return;
  }
  offered_ = message;
  driver_.Apply(
      TableOffered{.table = std::make_shared<const RoutingTable>(*std::move(table)), .from_disk = from_disk});
}

void RouterAgent::Acknowledge(const TableDecided& decided) {
  if (link_ == nullptr) return;
  v1::RouterMessage message;
  *message.mutable_ack() = EncodeAck(decided);
  link_->Send(std::move(message));
}

void RouterAgent::LoadLastGood() {
  if (disk_.path().empty()) return;
  auto state = ReadLastGood(disk_.path(), settings_.region);
  if (!state.ok()) {
    if (absl::IsNotFound(state.status())) return;
    log_.Error(absl::StrCat("begins without the last good table, local first: ", state.status().message()));
    return;
  }
  if (DropAbsurdEpochs(*state)) {
    log_.Error(absl::StrCat(disk_.path(),
                            ": names a leader's epoch that no leader can have reached: not believed; "
                            "the table is used until a controller answers"));
  }
  const auto fleet = wire::DecodeFleet(state->fleet_map());
  if (!fleet.ok() || !UseFleet(*fleet)) {
    log_.Error(absl::StrCat("begins without the last good table, local first: ", disk_.path(), ": ",
                            fleet.ok() ? "too many regions or tiers" : fleet.status().message()));
    return;
  }
  learns_tiers_ = false;
  state_ = *state;
  state_.set_incarnation(incarnation_);
  if (state_.has_directory()) ApplyDirectory(state_.directory(), /*from_disk=*/true);
  if (state_.has_table()) TakeTable(v1::RoutingTable(state_.table()), true);
  log_.Info(absl::StrCat("routes by the table on disk, epoch ", driver_.machine().table().epoch, " version ",
                         driver_.machine().table().version, ", until a controller answers"));
}

}  // namespace ringway::router
