#include "controller/daemon/timeline_store.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/event_loop.h"
#include "runtime/state_file.h"

namespace ringway::controller {
namespace {

constexpr std::string_view kTimelineKind = "timeline";
constexpr std::uint32_t kTimelineVersion = 2;

}  // namespace

struct TimelineStore::Disk {
  Disk(std::string file, runtime::Logger logger)
      : path(std::move(file)), log(std::move(logger)), loop("timeline") {
    loop.Start();
  }

  void WriteNext() {
    std::optional<std::string> bytes;
    {
      std::lock_guard lock(waiting);
      bytes = std::exchange(next, std::nullopt);
    }
    if (!bytes) return;
    const absl::Status written = runtime::WriteStateFile(path, kTimelineKind, kTimelineVersion, *bytes);
    if (std::exchange(failing, !written.ok()) == !written.ok()) return;
    if (written.ok()) {
      log.Info(absl::StrCat("the dashboard's last hour is saved again in ", path));
    } else {
      log.Warning(absl::StrCat("the dashboard's last hour is not saved, a restart would begin it anew: ",
                               written.message()));
    }
  }

  const std::string path;
  const runtime::Logger log;
  std::mutex waiting;
  std::optional<std::string> next;
  bool failing = false;  // on the loop, and after its end
  runtime::EventLoop loop;
};

TimelineStore::TimelineStore(std::string path, runtime::Logger log)
    : disk_(std::make_unique<Disk>(std::move(path), std::move(log))) {}

TimelineStore::~TimelineStore() {
  disk_->loop.Stop();
  disk_->WriteNext();
}

std::optional<std::string> TimelineStore::Load() {
  auto file = runtime::ReadStateFile(disk_->path, kTimelineKind, kTimelineVersion, kTimelineVersion);
  if (file.ok()) return std::move(file->payload);
  if (!absl::IsNotFound(file.status())) Drop(file.status());
  return std::nullopt;
}

void TimelineStore::Drop(const absl::Status& why) {
  disk_->log.Warning(absl::StrCat("the dashboard's last hour in ", disk_->path,
                                  " is dropped and begins anew: ", why.message()));
}

void TimelineStore::Save(Time now, std::string bytes) {
  due_ = now + std::max(kEvery, Seconds(static_cast<double>(bytes.size()) / kBytesPerSecondMax));
  bool scheduled = false;
  {
    std::lock_guard lock(disk_->waiting);
    scheduled = disk_->next.has_value();
    disk_->next = std::move(bytes);
  }
  if (!scheduled) (void)disk_->loop.Post([disk = disk_.get()] { disk->WriteNext(); });
}

}  // namespace ringway::controller
