#include "router/daemon/control/last_good.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/leader_epoch.h"
#include "runtime/state_file.h"

namespace ringway::router {
namespace {

constexpr char kKind[] = "router";

}  // namespace

absl::StatusOr<v1::RouterState> ReadLastGood(const std::string& path, const std::string& region) {
  auto file = runtime::ReadStateFile(path, kKind, kStateVersionOldest, kStateVersion);
  if (!file.ok()) return file.status();
  v1::RouterState state;
  if (!state.ParseFromString(file->payload)) {
    return absl::DataLossError(absl::StrCat(path,
                                            ": the checksum is right but the content is not a router's "
                                            "state; remove the file"));
  }
  if (state.region() != region) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": was written by a router of region '", state.region(), "', this one is in '",
                     region, "'; remove the file or give --state-dir another folder"));
  }
  return state;
}

bool DropAbsurdEpochs(v1::RouterState& state) {
  bool dropped = !EpochPossible(state.epoch_seen_max()) || !EpochPossible(state.table().epoch());
  if (dropped) state.set_epoch_seen_max(0);
  if (!EpochPossible(state.directory().view_epoch())) {
    state.mutable_directory()->clear_view_version();
    dropped = true;
  }
  for (const v1::LeaderEntry& leader : state.directory().leaders()) {
    if (EpochPossible(leader.leader_epoch())) continue;
    state.mutable_directory()->clear_leaders();
    dropped = true;
    break;
  }
  return dropped;
}

LastLife ReadLastLife(const std::string& path, const std::string& region) {
  auto state = ReadLastGood(path, region);
  if (!state.ok()) return {};
  DropAbsurdEpochs(*state);
  return {.incarnation = state->incarnation(), .epoch_seen_max = state->epoch_seen_max()};
}

LastGood::LastGood(std::string path, const runtime::Logger& log)
    : path_(std::move(path)), log_(log), writer_("state", 4) {
  writer_.Start();
}

LastGood::~LastGood() { writer_.Stop(); }

bool LastGood::Save(const v1::RouterState& state) {
  if (path_.empty()) return true;
  if (writing_.exchange(true)) return false;
  const bool posted = writer_.Post([this, payload = state.SerializeAsString()] {
    const absl::Status wrote = runtime::WriteStateFile(path_, kKind, kStateVersion, payload);
    if (!wrote.ok()) log_.Warning(absl::StrCat("the last good table is not on disk: ", wrote.message()));
    writing_ = false;
  });
  if (!posted) writing_ = false;
  return posted;
}

}  // namespace ringway::router
