// What travels in the small fleet, and the post office that delays, loses and repeats it.
//
// Every message between two processes is a value in a pool; the event queue carries its number. Delivery is
// the fleet's business. Messages from or to a process that has died since are dropped by its incarnation, as
// a broken stream would.
#ifndef RINGWAY_TESTS_LEDGER_FLEET_MAIL_H_
#define RINGWAY_TESTS_LEDGER_FLEET_MAIL_H_

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/lease.h"
#include "core/rng.h"
#include "router/dispatch/ledger/ledger_client.h"
#include "router/dispatch/ledger/messages.h"
#include "sim/kernel/event_queue.h"
#include "tests/ledger/fleet/settings.h"

namespace ringway::ledger::fleet {

struct JobName {
  RouterId router;
  JobId job;
  std::uint64_t serial = 0;  // never reused
};
struct Offer {
  JobName name;
  Lease lease;  // none: a probe
  double service_s = 0;
};
struct Cancel {
  JobName name;
};
struct Answer {
  JobName name;
  WorkerId worker;
  Outcome outcome = Outcome::kDone;
  double held_s = 0;
};
struct Heartbeat {};

struct Process {
  enum class Kind : std::uint8_t { kLeader, kRouter, kWorker, kController } kind;
  std::uint32_t number = 0;
};

using Body = std::variant<LedgerEvent, LedgerAction, CurrentLeader, Offer, Cancel, Answer, Heartbeat>;
struct Message {
  Process from, to;
  std::uint32_t from_life = 0, to_life = 0;
  Body body;
};

class Mail {
 public:
  Mail(const NetworkSettings& settings, std::uint64_t seed) : settings_(settings), rng_(seed, 77) {}

  // Schedules the arrival under event kind `kind`, with the message's number as subject.
  void Send(sim::EventQueue& queue, std::uint8_t kind, Message message) {
    // The controller's stream neither loses nor repeats.
    const bool leader =
        message.from.kind == Process::Kind::kLeader || message.to.kind == Process::Kind::kLeader;
    const bool lossy = leader && message.from.kind != Process::Kind::kController;
    const bool lost = lossy && faulty_ && settings_.loss > 0 && rng_.Chance(settings_.loss);
    const bool twice = lossy && faulty_ && settings_.duplicate > 0 && rng_.Chance(settings_.duplicate);
    if (twice) Post(queue, kind, message, lossy);
    if (!lost) Post(queue, kind, std::move(message), lossy);
  }
  Message Take(std::uint32_t number) {
    free_.push_back(number);
    return std::move(pool_[number]);
  }
  // From now on nothing is lost or repeated.
  void Heal() { faulty_ = false; }

 private:
  void Post(sim::EventQueue& queue, std::uint8_t kind, Message message, bool lossy) {
    const double extra = lossy && settings_.jitter > 0 ? settings_.jitter * rng_.Uniform() : 0;
    Duration delay = settings_.hop * (1 + extra);
    if (const auto* offer = std::get_if<Offer>(&message.body)) delay += StreamDelay(offer->name.serial);
    if (const auto* cancel = std::get_if<Cancel>(&message.body)) delay += StreamDelay(cancel->name.serial);
    std::uint32_t number = 0;
    if (free_.empty()) {
      number = static_cast<std::uint32_t>(pool_.size());
      pool_.push_back(std::move(message));
    } else {
      number = free_.back();
      free_.pop_back();
      pool_[number] = std::move(message);
    }
    queue.Push(queue.now_ns() + ToInt64Nanoseconds(delay), kind, number);
  }

  // A router and a worker talk over one stream for each job: its messages are late together and keep their
  // order.
  Duration StreamDelay(std::uint64_t serial) const {
    if (settings_.stall == 0) return ZeroDuration();
    Rng rng(serial, 99);
    const Duration jitter = settings_.hop * settings_.jitter * rng.Uniform();
    return rng.Chance(settings_.stall) ? settings_.stall_span : jitter;
  }

  NetworkSettings settings_;
  Rng rng_;
  bool faulty_ = true;
  std::vector<Message> pool_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ringway::ledger::fleet

#endif  // RINGWAY_TESTS_LEDGER_FLEET_MAIL_H_
