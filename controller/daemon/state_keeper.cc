#include "controller/daemon/state_keeper.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/wire/state_codec.h"
#include "runtime/event_loop.h"
#include "runtime/state_file.h"

namespace ringway::controller {
namespace {

constexpr std::string_view kKind = "controller";

}  // namespace

struct StateKeeper::Disk {
  Disk(std::string file, runtime::Logger logger)
      : path(std::move(file)), log(std::move(logger)), loop("state") {
    loop.Start();
  }

  absl::Status Write(std::uint64_t sequence, const std::string& bytes) {
    std::lock_guard lock(writing);
    if (sequence <= written) return absl::OkStatus();
    absl::Status status = runtime::WriteStateFile(path, kKind, kStateVersion, bytes);
    if (status.ok()) written = sequence;
    return status;
  }

  void WriteNext() {
    std::optional<std::pair<std::uint64_t, std::string>> taken;
    {
      std::lock_guard lock(waiting);
      taken = std::exchange(next, std::nullopt);
    }
    if (!taken) return;
    const absl::Status status = Write(taken->first, taken->second);
    if (!status.ok() && !failing) log.Error(absl::StrCat("state is not saved: ", status.ToString()));
    failing = !status.ok();
  }

  const std::string path;
  const runtime::Logger log;
  std::mutex writing;
  std::uint64_t written = 0;  // sequence of what is on disk
  std::uint64_t sequence = 0;
  std::mutex waiting;
  std::optional<std::pair<std::uint64_t, std::string>> next;
  bool failing = false;
  runtime::EventLoop loop;
};

StateKeeper::StateKeeper(std::string directory, runtime::Logger log)
    : path_(std::move(directory) + "/controller.state"),
      disk_(std::make_unique<Disk>(path_, std::move(log))) {}

StateKeeper::~StateKeeper() {
  disk_->loop.Stop();
  disk_->WriteNext();
}

absl::StatusOr<DurableState> StateKeeper::Load() const {
  auto file = runtime::ReadStateFile(path_, kKind, kStateVersionOldest, kStateVersion);
  if (absl::IsNotFound(file.status())) return DurableState{};
  if (!file.ok()) return file.status();
  v1::ControllerState message;
  if (!message.ParseFromString(file->payload)) {
    return absl::DataLossError(absl::StrCat(path_, " does not hold a controller's state"));
  }
  auto state = DecodeState(message);
  if (!state.ok()) return absl::DataLossError(absl::StrCat(path_, ": ", state.status().message()));
  return state;
}

absl::Status StateKeeper::SaveNow(const DurableState& state) {
  return disk_->Write(++disk_->sequence, EncodeState(state).SerializeAsString());
}

void StateKeeper::SaveSoon(const DurableState& state) {
  std::string bytes = EncodeState(state).SerializeAsString();
  bool scheduled = false;
  {
    std::lock_guard lock(disk_->waiting);
    scheduled = disk_->next.has_value();
    disk_->next = {++disk_->sequence, std::move(bytes)};
  }
  if (!scheduled) (void)disk_->loop.Post([disk = disk_.get()] { disk->WriteNext(); });
}

}  // namespace ringway::controller
