#include "router/journal/recorder.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/journal/bytes.h"
#include "runtime/event_loop.h"
#include "runtime/segment.h"

namespace ringway::router::journal {
namespace {

// What kill -9 may cost.
constexpr absl::Duration kFlushEvery = absl::Milliseconds(200);
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;

}  // namespace

struct Recorder::Disk {
  Disk(std::string directory, std::uint64_t bytes_max)
      : writer(std::move(directory), bytes_max), loop("journal") {
    loop.Start();
  }

  bool Send(bool begin, std::string bytes) {
    const std::size_t size = bytes.size();
    if (pending.fetch_add(size) + size > kPendingMax) return false;
    return loop.Post([this, begin, bytes = std::move(bytes)] {
      const absl::Status written = begin ? writer.Begin(bytes) : writer.Append(bytes);
      pending.fetch_sub(bytes.size());
      if (!written.ok()) failed.store(true);
    });
  }

  void AwaitAll() {
    std::mutex mutex;
    std::condition_variable reached;
    bool done = false;
    const bool posted = loop.Post([&] {
      const std::lock_guard lock(mutex);
      done = true;
      reached.notify_one();
    });
    if (!posted) return;
    std::unique_lock lock(mutex);
    reached.wait(lock, [&] { return done; });
  }

  runtime::SegmentWriter writer;
  std::atomic<std::size_t> pending{0};
  std::atomic<bool> failed{false};
  runtime::EventLoop loop;
};

Recorder::Recorder(const std::string& directory, std::uint64_t bytes_max, const RouterSettings& settings,
                   const Fleet& fleet, const runtime::Logger& log)
    : life_bytes_max_(bytes_max / 2), log_(log), disk_(std::make_unique<Disk>(directory, bytes_max)) {
  std::string first;
  Writer writer(first);
  writer.Put(std::string_view(kTitle));
  writer.Put(kVersion);
  writer.Put(settings);
  writer.Put(fleet);
  bytes_ = runtime::kSegmentHeadBytes + runtime::kRecordHeadBytes + first.size();
  disk_->Send(true, std::move(first));
  log_.Info(absl::StrCat("records its events in ", directory, ", at most ", life_bytes_max_ >> 20, " MiB"));
}

Recorder::~Recorder() {
  Flush(absl::InfiniteFuture());
  disk_->AwaitAll();
  disk_->loop.Stop();
}

void Recorder::Note(absl::Time now, const RouterEvent& event, const std::vector<RouterAction>& actions) {
  if (!recording_) return;
  Writer writer(batch_);
  writer.Put(now);
  writer.Put(event);
  actions_.clear();
  Writer(actions_).Put(actions);
  writer.Put(static_cast<std::uint64_t>(actions.size()));
  writer.Put(Digest(actions_));
  if (batch_.size() >= kBatchBytes || now >= flushed_ + kFlushEvery) Flush(now);
}

void Recorder::Flush(absl::Time now) {
  flushed_ = now;
  if (!recording_ || batch_.empty()) return;
  if (disk_->failed.load()) return Stop("the disk cannot be written");
  const std::size_t added = runtime::kRecordHeadBytes + batch_.size();
  if (bytes_ + added > life_bytes_max_) return Stop("its bound is reached");
  bytes_ += added;
  if (!disk_->Send(false, std::exchange(batch_, {}))) Stop("the disk does not keep up");
}

void Recorder::Stop(const std::string& why) {
  recording_ = false;
  batch_ = {};
  log_.Warning(absl::StrCat("the journal of this life ends here: ", why));
}

}  // namespace ringway::router::journal
