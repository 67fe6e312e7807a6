#include "controller/journal/recorder.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/journal/checkpoint.h"
#include "controller/journal/event_codec.h"
#include "runtime/segment.h"

namespace ringway::controller {

struct Recorder::Disk {
  Disk(std::string directory, const JournalLimits& limits, runtime::Logger logger)
      : writer(std::move(directory), limits.total_bytes_max),
        segment_max(limits.segment_bytes_max),
        log(std::move(logger)) {
    if (!limits.waits) loop.emplace("journal").Start();
  }
  ~Disk() {
    if (!loop) return;
    Flush();
    loop->Stop();
  }

  bool Post(bool begin, std::string bytes) {
    if (!loop) return Perform(begin, bytes), true;
    return loop->Post([this, begin, bytes = std::move(bytes)] { Perform(begin, bytes); });
  }

  void Perform(bool begin, const std::string& bytes) {
    const absl::Status status =
        begin ? writer.Begin(bytes, bytes.size() + segment_max) : writer.Append(bytes);
    pending_bytes.fetch_sub(bytes.size());
    if (status.ok()) {
      failing = false;
      return;
    }
    broken.store(true);
    failures.fetch_add(1);
    if (!std::exchange(failing, true)) {
      log.Error(absl::StrCat("journal stops until the disk can be written: ", status.ToString()));
    }
  }

  // Waits until everything sent so far is on disk.
  void Flush() {
    std::mutex mutex;
    std::condition_variable reached;
    bool done = false;
    const bool posted = loop->Post([&] {
      std::lock_guard lock(mutex);
      done = true;
      reached.notify_one();
    });
    if (!posted) return;
    std::unique_lock lock(mutex);
    reached.wait(lock, [&] { return done; });
  }

  runtime::SegmentWriter writer;
  const std::uint64_t segment_max;
  runtime::Logger log;
  std::atomic<std::size_t> pending_bytes{0};
  std::atomic<std::uint64_t> failures{0};
  std::atomic<bool> broken{false};         // a write failed: the segment has a hole
  bool failing = false;                    // on the disk's thread
  std::optional<runtime::EventLoop> loop;  // none: the machine waits
};

Recorder::Recorder(std::string directory, JournalLimits limits, std::string topology, runtime::Logger log)
    : limits_(limits),
      topology_(std::move(topology)),
      disk_(std::make_unique<Disk>(std::move(directory), limits, std::move(log))) {}

Recorder::~Recorder() = default;

std::uint64_t Recorder::failures() const { return disk_->failures.load(); }

bool Recorder::Send(bool begin, std::string bytes) {
  const std::size_t size = bytes.size();
  // One record may always be pending, however large.
  const std::size_t before = disk_->pending_bytes.fetch_add(size);
  const bool fits = before == 0 || before + size <= limits_.pending_bytes_max;
  if (fits && disk_->Post(begin, std::move(bytes))) {
    ++records_;
    return true;
  }
  disk_->pending_bytes.fetch_sub(size);
  ++dropped_;
  begun_ = false;
  return false;
}

void Recorder::BeginSegment(Time now, const ControllerMachine& machine) {
  v1::JournalRecord record;
  record.set_at_unix_ns(ToUnixNanos(now));
  *record.mutable_checkpoint() = Checkpointer::Save(machine, topology_);
  begun_ = true;
  segment_bytes_ = 0;
  Send(true, record.SerializeAsString());
}

void Recorder::Event(Time now, const ControllerEvent& event, const ControllerMachine& machine) {
  if (disk_->broken.exchange(false)) begun_ = false;
  if (!begun_ || segment_bytes_ >= limits_.segment_bytes_max) BeginSegment(now, machine);
  if (const auto* loaded = std::get_if<TopologyLoaded>(&event)) topology_ = loaded->text;
  Append(EncodeEvent(now, event, *machine.fleet()).SerializeAsString());
}

void Recorder::Outcomes(Time now, const std::vector<ControllerAction>& actions, const Fleet& fleet) {
  for (const ControllerAction& action : actions) {
    if (const auto record = EncodeOutcome(now, action, fleet)) Append(record->SerializeAsString());
  }
}

void Recorder::Append(std::string bytes) {
  if (!begun_) return;  // a hole: wait for the next segment
  segment_bytes_ += bytes.size();
  Send(false, std::move(bytes));
}

}  // namespace ringway::controller
