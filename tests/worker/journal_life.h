// Random lives of a worker's node that a recorder watches, and what their journals begin with.
//
// A life draws offers, with leases and without, uploads, results, watchers, drains and fences, and answers
// what the node asks of its backend. The same seed gives the same life.
#ifndef RINGWAY_TESTS_WORKER_JOURNAL_LIFE_H_
#define RINGWAY_TESTS_WORKER_JOURNAL_LIFE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/lease.h"
#include "core/rng.h"
#include "journal/bytes.h"
#include "journal/shape.h"
#include "tests/journal/folder.h"
#include "tests/worker/recording_shell.h"
#include "worker/journal/fields.h"
#include "worker/journal/recorder.h"
#include "worker/worker_node.h"

namespace ringway::worker {

using journal::BytesIn;
using journal::Folder;
using journal::Quiet;
using journal::SegmentsOf;

inline WorkerSettings Settings(std::uint64_t seed) {
  WorkerSettings settings{.slot = {.service_prior = Seconds(2),
                                   .upload_max = Seconds(3),
                                   .drain_max = Seconds(4),
                                   .failures_before_rest = 2,
                                   .rest = Seconds(1),
                                   .started = FromUnixSeconds(static_cast<std::int64_t>(seed))}};
  settings.payload_bytes_max = 100;
  settings.result_bytes_max = 300;
  settings.unsent_bytes_max = 400;
  settings.delivery_max = Seconds(6);
  return settings;
}

class Lived {
 public:
  Lived(const std::string& folder, std::uint64_t seed, std::uint64_t bytes_max = 64 << 20)
      : rng_(seed), node_(Settings(seed)), recorder_(folder, bytes_max, Settings(seed), node_, Quiet()) {
    recorder_.Begin(now_);
  }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += Nanoseconds(rng_.Below(400'000'000));
      Note(Draw());
    }
  }
  bool recording() const { return recorder_.recording(); }
  std::uint64_t events() const { return events_; }
  const WorkerNode& node() const { return node_; }

 private:
  WorkerEvent Draw() {
    if (std::min(node_.NextWake(), node_.NextHeartbeat()) <= now_) return WorkerWake{};
    const AttemptId held = node_.attempt();
    const AttemptId any = rng_.Chance(0.7) || last_ == 0 ? held : 1 + rng_.Below(last_);
    if (open_.size() > 8) return Close();
    if (any == 0) return Offer();
    switch (rng_.Below(16)) {
      case 0:
      case 1:
      case 2:
        return Offer();
      case 3:
        return PayloadArrived{any, rng_.Below(60)};
      case 4:
      case 5:
        return UploadEnded{any};
      case 6:
        if (rng_.Chance(0.2)) return AttemptWithdrawn{any};
        return rng_.Chance(0.3) ? WorkerEvent(AttemptCancelled{any}) : WorkerEvent(MessageMalformed{any});
      case 7:
        return Close();
      case 8:
      case 9:
      case 10:
        return Backend();
      case 11:
        return ResultWaits{any, rng_.Below(300)};
      case 12:
        return Watch();
      case 13:
        return SlotDrain{rng_.Chance(0.3), rng_.Chance(0.5) ? Seconds(2) : InfiniteDuration()};
      case 14:
        return Fenced();
      default:
        return WorkerWake{};
    }
  }
  WorkerEvent Offer() {
    open_.push_back(++last_);
    AttemptOffered offered{{.attempt = last_}, rng_.Chance(0.5) ? 0 : rng_.Below(60)};
    if (rng_.Chance(0.3)) offered.offer.grant = {{Epoch(), 0}, rng_.Chance(0.8) ? ++serial_ : serial_};
    if (rng_.Chance(0.2)) offered.offer.deadline = now_ + Milliseconds(rng_.Below(3000));
    lease_ = offered.offer.grant != Lease{} ? FormatLease(offered.offer.grant) : "probe";
    offered.offer.lease = lease_;
    return offered;
  }
  std::uint64_t Epoch() const { return 1 + events_ / 800; }  // of the leader: some three minutes each
  // By the leader, now and then of the lease that was granted last, or by one that there is not: its claim
  // lapses.
  WorkerEvent Fenced() {
    const Fence by{Epoch() + (rng_.Chance(0.05) ? 9 : 0), 0};
    return SlotFenced{.by = by, .upto = {by, rng_.Chance(0.5) ? serial_ : 0}, .revoke = rng_.Chance(0.5)};
  }
  WorkerEvent Close() {
    if (open_.empty()) return WorkerWake{};
    const auto closes = open_.begin() + static_cast<std::ptrdiff_t>(rng_.Below(open_.size()));
    const AttemptId id = *closes;
    open_.erase(closes);
    return StreamClosed{id};
  }
  WorkerEvent Backend() {
    if (!runs_) return WorkerWake{};
    if (rng_.Chance(0.3)) return WorkProgressed{static_cast<std::uint32_t>(rng_.Below(5)), 4};
    if (rng_.Chance(0.4)) return ResultMade{rng_.Below(150)};
    runs_ = false;
    return WorkEnded{rng_.Chance(0.7) ? Outcome::kDone : Outcome::kFailed};
  }
  WorkerEvent Watch() {
    if (watchers_ > 0 && rng_.Chance(0.5)) return --watchers_, WatchClosed{};
    ++watchers_;
    return WatchOpened{rng_.Below(9)};
  }

  void Note(const WorkerEvent& event) {
    shell_.actions.clear();
    std::visit([&](const auto& e) { node_.Step(now_, e, shell_); }, event);
    ++events_;
    runs_ = runs_ || shell_.Count<StartWork>() > 0;
    recorder_.Note(now_, event, shell_.actions);
  }

  Rng rng_;
  WorkerNode node_;
  Recorder recorder_;
  RecordingShell shell_;
  Time now_ = FromUnixSeconds(1'000'000);
  std::string lease_;
  AttemptId last_ = 0;
  std::vector<AttemptId> open_;  // streams
  std::uint64_t serial_ = 0, events_ = 0;
  int watchers_ = 0;
  bool runs_ = false;
};

// What every segment begins with.
struct Beginning {
  std::string title = kJournalTitle.text;
  std::uint32_t version = kJournalTitle.version;
  std::string shapes = journal::Shapes::Own();
  WorkerSettings settings = {};
  std::uint64_t events = 0;
  std::string state = {};

  void Take(journal::Reader& reader) {
    reader.Take(title);
    reader.Take(version);
    reader.Take(shapes);
    reader.Take(settings);
    reader.Take(events);
    reader.Take(state);
  }
  // By the release that tells these shapes; null: this one.
  std::string Bytes(const journal::Shapes* of = nullptr) const {
    std::string bytes;
    journal::Writer writer(bytes, nullptr, of);
    writer.Put(title);
    writer.Put(version);
    writer.Put(shapes);
    writer.Put(settings);
    writer.Put(events);
    writer.Put(state);
    return bytes;
  }
};

}  // namespace ringway::worker

#endif  // RINGWAY_TESTS_WORKER_JOURNAL_LIFE_H_
