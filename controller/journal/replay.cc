#include "controller/journal/replay.h"

#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/journal/checkpoint.h"
#include "proto/table_codec.h"
#include "runtime/segment.h"

namespace ringway::controller {
namespace {

class Replayer {
 public:
  Replayer(const FleetReader& read_fleet, const ReplayObserver& observe, const EventEdit& edit)
      : read_fleet_(read_fleet), observe_(observe), edit_(edit) {}

  absl::Status Take(std::string_view payload) {
    v1::JournalRecord record;
    if (!record.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
      return absl::DataLossError("journal: a record with a good checksum is not a record");
    }
    const Time at = FromUnixNanos(record.at_unix_ns());
    switch (record.kind_case()) {
      case v1::JournalRecord::kCheckpoint:
        return Start(record.checkpoint());
      case v1::JournalRecord::kTable:
        Compare(record.table());
        return absl::OkStatus();
      case v1::JournalRecord::kPlan:
        return absl::OkStatus();
      default:
        return Live(at, record);
    }
  }
  void EndSegment(runtime::SegmentEnd end) {
    ++report_.segments;
    hole_ = end != runtime::SegmentEnd::kWhole;
    if (hole_) ++report_.holes;
  }
  ReplayReport Finish() {
    // Tables that the machine made beyond the recorded ones: the record ended before they were written.
    return std::move(report_);
  }

 private:
  absl::Status Start(const v1::ControllerCheckpoint& checkpoint) {
    if (machine_ && edit_) return absl::OkStatus();
    if (machine_ && !hole_) {
      if (Checkpointer::Save(*machine_, topology_).SerializeAsString() == checkpoint.SerializeAsString()) {
        return absl::OkStatus();
      }
      // A life that ended leaves its last segment whole; the next one starts in a higher epoch.
      if (checkpoint.durable().epoch() == machine_->epoch()) {
        ++report_.checkpoints_different;
        Differs("the checkpoint of a later segment differs from the state that the replay reached");
      }
    }
    auto fleet = read_fleet_(checkpoint.topology());
    if (!fleet.ok()) return fleet.status();
    auto machine = Checkpointer::Load(checkpoint, *std::move(fleet));
    if (!machine.ok()) return machine.status();
    machine_.emplace(*std::move(machine));
    topology_ = checkpoint.topology();
    made_.clear();
    return absl::OkStatus();
  }

  absl::Status Live(Time at, const v1::JournalRecord& record) {
    if (!machine_) return absl::DataLossError("journal: the first record is not a checkpoint");
    auto event = DecodeEvent(record, *machine_->fleet(), read_fleet_);
    if (!event.ok()) return event.status();
    if (edit_) edit_(*event, *machine_);
    actions_.clear();
    machine_->Step(at, *event, actions_);
    if (const auto* loaded = std::get_if<TopologyLoaded>(&*event)) topology_ = loaded->text;
    ++report_.events;
    for (const ControllerAction& action : actions_) {
      if (const auto* table = std::get_if<SendTable>(&action); table != nullptr && !table->stream) {
        made_.push_back(wire::EncodeTable(*table->table, *machine_->fleet()).SerializeAsString());
      }
    }
    if (observe_) observe_(at, *event, actions_, *machine_);
    return absl::OkStatus();
  }

  void Compare(const v1::RoutingTable& recorded) {
    ++report_.tables;
    const bool same = !made_.empty() && made_.front() == recorded.SerializeAsString();
    if (!made_.empty()) made_.pop_front();
    if (same) return;
    ++report_.tables_different;
    Differs(absl::StrCat("table ", recorded.epoch(), "/", recorded.version(), " comes out differently"));
  }

  void Differs(std::string what) {
    if (report_.first_difference.empty()) report_.first_difference = std::move(what);
  }

  const FleetReader& read_fleet_;
  const ReplayObserver& observe_;
  const EventEdit& edit_;
  std::optional<ControllerMachine> machine_;
  std::string topology_;
  std::vector<ControllerAction> actions_;
  std::deque<std::string> made_;  // tables not yet met in the record; at most one Step's
  bool hole_ = false;
  ReplayReport report_;
};

}  // namespace

absl::StatusOr<ReplayReport> Replay(const std::string& directory, const FleetReader& read_fleet,
                                    const ReplayObserver& observe, const EventEdit& edit) {
  auto segments = runtime::ListSegments(directory);
  if (!segments.ok()) return segments.status();
  if (segments->empty()) {
    return absl::NotFoundError(absl::StrCat(directory,
                                            ": no journal is here (journal-N.rwj); it is in the "
                                            "folder 'journal' of a program's state folder"));
  }
  Replayer replayer(read_fleet, observe, edit);
  for (const runtime::SegmentFile& segment : *segments) {
    const auto end =
        runtime::ReadSegment(segment.path, [&](std::string_view payload) { return replayer.Take(payload); });
    if (!end.ok()) {
      return absl::Status(end.status().code(), absl::StrCat(segment.path, ": ", end.status().message()));
    }
    replayer.EndSegment(*end);
  }
  return replayer.Finish();
}

}  // namespace ringway::controller
