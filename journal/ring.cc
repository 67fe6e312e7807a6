#include "journal/ring.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "journal/shape.h"
#include "runtime/event_loop.h"
#include "runtime/segment.h"

namespace ringway::journal {
namespace {

// What kill -9 may cost.
constexpr Duration kFlushEvery = Milliseconds(200);
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;
// A segment takes this part of the ring, and at least so many times its checkpoint, so that a checkpoint is a
// small part of what is written; but never more than half of the ring.
constexpr std::uint64_t kSegments = 8;
constexpr std::uint64_t kCheckpointsMin = 4;

}  // namespace

struct Ring::Disk {
  Disk(std::string directory, std::uint64_t bytes_max, DiskPace pace)
      : writer(std::move(directory), bytes_max) {
    if (pace == DiskPace::kGoesOn) loop.emplace("journal").Start();
  }

  void Write(std::uint64_t segment, std::uint64_t begins, const std::string& bytes) {
    if (failed.load() == segment) return;
    const absl::Status written = begins > 0 ? writer.Begin(bytes, begins) : writer.Append(bytes);
    if (!written.ok()) failed.store(segment);
  }

  // To the segment of this number, counted from 1. `begins`: it is new and will grow to so many bytes; 0: it
  // goes on.
  bool Send(std::uint64_t segment, std::uint64_t begins, std::string bytes) {
    if (!loop) return Write(segment, begins, bytes), true;
    const std::size_t size = bytes.size();
    if (pending.load() + size > kPendingMax) return false;
    pending.fetch_add(size);
    return loop->Post([this, segment, begins, bytes = std::move(bytes)] {
      Write(segment, begins, bytes);
      pending.fetch_sub(bytes.size());
    });
  }

  ~Disk() {
    if (!loop) return;
    AwaitAll();
    loop->Stop();
  }

  void AwaitAll() {
    std::mutex mutex;
    std::condition_variable reached;
    bool done = false;
    const bool posted = loop->Post([&] {
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
  std::atomic<std::uint64_t> failed{0};    // the last segment that could not be written
  std::optional<runtime::EventLoop> loop;  // none: the machine waits
};

Ring::Ring(const Title& title, const std::string& directory, std::uint64_t bytes_max, Beginning beginning,
           const runtime::Logger& log, DiskPace pace)
    : title_(title),
      bytes_max_(bytes_max),
      beginning_(std::move(beginning)),
      log_(log),
      disk_(std::make_unique<Disk>(directory, bytes_max, pace)) {
  log_.Info(absl::StrCat("records its events in ", directory, ", the last ", bytes_max_ >> 20, " MiB"));
}

Ring::~Ring() { Flush(InfiniteFuture()); }

void Ring::BeginSegment(Time now) {
  std::string first;
  Writer writer(first);
  writer.Put(std::string_view(title_.text));
  writer.Put(title_.version);
  writer.Put(Shapes::Own());
  beginning_(writer, events_);
  segment_bytes_ = runtime::kSegmentHeadBytes + runtime::kRecordHeadBytes + first.size();
  segment_max_ = std::max(bytes_max_ / kSegments, kCheckpointsMin * segment_bytes_);
  if (segment_max_ > bytes_max_ / 2) {
    return Pause(now, absl::StrCat("a checkpoint takes ", segment_bytes_ >> 10, " KiB, which is too much of ",
                                   bytes_max_ >> 10, " KiB: set --journal-mib to ",
                                   (2 * kCheckpointsMin * segment_bytes_ >> 20) + 1, " or more"));
  }
  if (!disk_->Send(++segments_, segment_max_, std::move(first)))
    return Pause(now, "the disk does not keep up");
  if (!why_paused_.empty()) log_.Info("the journal is written again");
  why_paused_.clear();
  recording_ = true;
}

bool Ring::Goes(Time now) {
  ++events_;
  // With this event it goes on, and that is in its first state.
  if (!recording_ && now >= resume_at_) return BeginSegment(now), false;
  return recording_;
}

void Ring::Noted(Time now, std::uint64_t actions) {
  Writer writer(batch_);
  writer.Put(actions);
  writer.Put(Digest(actions_));
  const bool full = segment_bytes_ + batch_.size() >= segment_max_;
  if (full || batch_.size() >= kBatchBytes || now >= flushed_ + kFlushEvery) Flush(now);
  if (full && recording_) BeginSegment(now);
}

Time Ring::FlushAt() const { return batch_.empty() ? InfiniteFuture() : flushed_ + kFlushEvery; }

void Ring::Flush(Time now) {
  flushed_ = now;
  if (!recording_ || batch_.empty()) return;
  if (disk_->failed.load() == segments_) return Pause(now, "its folder cannot be written: is the disk full?");
  segment_bytes_ += runtime::kRecordHeadBytes + batch_.size();
  if (!disk_->Send(segments_, 0, std::exchange(batch_, {}))) Pause(now, "the disk does not keep up");
}

void Ring::Pause(Time now, const std::string& why) {
  recording_ = false;
  resume_at_ = now + kRetryAfter;
  batch_ = {};
  if (why != why_paused_) log_.Warning(absl::StrCat("the journal has a gap from here: ", why));
  why_paused_ = why;
}

}  // namespace ringway::journal
