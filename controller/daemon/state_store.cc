#include "controller/daemon/state_store.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/wire/state_codec.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"
#include "runtime/state_file.h"

namespace ringway::controller {
namespace {

constexpr std::string_view kKind = "controller";

// How far the date is ahead of the machine's time, now.
Duration WallAhead() { return runtime::WallNow() - runtime::MonotonicNow(); }

// Terms of orders are dates on disk: the next life has another origin of its time.
std::string BytesOf(const DurableState& state) {
  v1::ControllerState message = EncodeState(state);
  EditTerms(message, [ahead_ns = ToInt64Nanoseconds(WallAhead())](v1::Term& term) {
    term.set_until_unix_ns(term.until_unix_ns() + ahead_ns);
  });
  return message.SerializeAsString();
}

}  // namespace

struct StateStore::Disk {
  Disk(std::string file, runtime::Logger logger, std::function<void(bool)> listener)
      : path(std::move(file)), log(std::move(logger)), told(std::move(listener)), loop("state") {
    loop.Start();
  }

  absl::Status Write(std::uint64_t sequence, const std::string& bytes) {
    std::lock_guard lock(writing);
    if (sequence <= written) return absl::OkStatus();
    absl::Status status = runtime::WriteStateFile(path, kKind, kStateVersion, bytes);
    if (status.ok()) written = sequence;
    Tell(status);
    return status;
  }

  void Tell(const absl::Status& status) {
    if (failing.exchange(!status.ok()) == status.ok()) {
      if (status.ok()) {
        log.Info(absl::StrCat("the state is saved again in ", path));
      } else {
        log.Error(absl::StrCat("the state is not saved and would be lost with this process: ",
                               status.message(), "; it is tried again every epoch, make room in its folder"));
      }
    }
    told(status.ok());
  }

  void WriteNext() {
    std::optional<std::pair<std::uint64_t, std::string>> taken;
    {
      std::lock_guard lock(waiting);
      taken = std::exchange(next, std::nullopt);
    }
    if (!taken) return;
    (void)Write(taken->first, taken->second);
  }

  const std::string path;
  const runtime::Logger log;
  const std::function<void(bool)> told;
  std::mutex writing;
  std::uint64_t written = 0;  // sequence of what is on disk
  std::uint64_t sequence = 0;
  std::mutex waiting;
  std::optional<std::pair<std::uint64_t, std::string>> next;
  std::atomic<bool> failing{false};
  runtime::EventLoop loop;
};

StateStore::StateStore(std::string directory, runtime::Logger log, std::function<void(bool)> told)
    : path_(std::move(directory) + "/controller.state"),
      disk_(std::make_unique<Disk>(path_, std::move(log), std::move(told))) {}

StateStore::~StateStore() {
  disk_->loop.Stop();
  disk_->WriteNext();
}

absl::StatusOr<DurableState> StateStore::Load() const {
  auto file = runtime::ReadStateFile(path_, kKind, kStateVersionOldest, kStateVersion);
  if (absl::IsNotFound(file.status())) return DurableState{};
  if (!file.ok()) return file.status();
  v1::ControllerState message;
  if (!message.ParseFromString(file->payload)) {
    return absl::DataLossError(absl::StrCat(path_, " does not hold a controller's state"));
  }
  const std::uint64_t epoch = message.epoch();
  if (DropAbsurdEpochs(message)) {
    disk_->log.Error(
        absl::StrCat(path_, ": epoch ", epoch, ", or that of a ledger's leader, is beyond any sense: ",
                     "counting goes on from ", message.epoch(), "; drains, pins and the table are kept"));
  }
  const std::int64_t wall_ns = ToUnixNanos(runtime::WallNow());
  EditTerms(message, [wall_ns, ahead_ns = ToInt64Nanoseconds(WallAhead())](v1::Term& term) {
    // A clock that was put back does not prolong an order beyond the term that it was given.
    const std::int64_t left_ns = std::min(term.until_unix_ns() - wall_ns, term.length_ns());
    term.set_until_unix_ns(wall_ns - ahead_ns + left_ns);
  });
  auto state = DecodeState(message);
  if (!state.ok()) return absl::DataLossError(absl::StrCat(path_, ": ", state.status().message()));
  return state;
}

bool StateStore::failing() const { return disk_->failing; }

absl::Status StateStore::SaveNow(const DurableState& state) {
  return disk_->Write(++disk_->sequence, BytesOf(state));
}

void StateStore::SaveSoon(const DurableState& state) {
  std::string bytes = BytesOf(state);
  bool scheduled = false;
  {
    std::lock_guard lock(disk_->waiting);
    scheduled = disk_->next.has_value();
    disk_->next = {++disk_->sequence, std::move(bytes)};
  }
  if (!scheduled) (void)disk_->loop.Post([disk = disk_.get()] { disk->WriteNext(); });
}

}  // namespace ringway::controller
