// A ledger under test: steps it, keeps what came out, and makes the messages that tests send.
//
// Times are seconds after the epoch. Announcing workers by default, with room for eight of them and four jobs
// in the line; Build(false) makes a pool that announces nothing. Threads: one.
#ifndef RINGWAY_TESTS_LEDGER_LEDGER_RIG_H_
#define RINGWAY_TESTS_LEDGER_LEDGER_RIG_H_

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "router/dispatch/ledger/slot_ledger.h"

namespace ringway::ledger {

inline constexpr Fence kFirst{7, 1};
inline constexpr Fence kSecond{7, 2};

class LedgerTest : public testing::Test {
 protected:
  static LedgerSettings Settings(bool announce) {
    LedgerSettings settings;
    settings.lease_span = Seconds(5);
    settings.workers_announce = announce;
    settings.waiting_max = 4;
    settings.workers_max = 8;
    settings.routers_max = 4;
    settings.start_margin = ZeroDuration();
    return settings;
  }

  void Build(bool announce) { ledger_ = SlotLedger(Settings(announce)); }
  // Steps and keeps what came out.
  void Do(double at_s, const LedgerEvent& event) {
    now_ = UnixEpoch() + Seconds(at_s);
    actions_.clear();
    ledger_.Step(now_, event, actions_);
  }
  // Ask of router 0 with one second of service and the given deadline.
  Acquire AskFor(std::uint32_t slot, double arrived_s, double deadline_s, Priority priority = 0) {
    return {.key = {RouterId(0), slot, ++generation_},
            .priority = priority,
            .arrived = UnixEpoch() + Seconds(arrived_s),
            .deadline = UnixEpoch() + Seconds(deadline_s),
            .expected = Seconds(1)};
  }
  Announce Idle(std::size_t worker, const Lease& fence) {
    return {WorkerId(worker), ++sequence_, WorkerStatus::kIdle, fence, {}};
  }
  Announce Busy(std::size_t worker, const Lease& fence, const Lease& running) {
    return {WorkerId(worker), ++sequence_, WorkerStatus::kBusy, fence, running};
  }
  template <class T>
  std::vector<T> All() const {
    std::vector<T> found;
    for (const LedgerAction& action : actions_) {
      if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
  }
  SlotState State(std::size_t worker) const { return ledger_.Slot(WorkerId(worker))->state; }
  // Appoints and brings up `workers` idle announcing workers.
  void Begin(std::size_t workers) {
    Do(0, Appointed{kFirst});
    for (std::size_t w = 0; w < workers; ++w) Do(0, Idle(w, {kFirst, 0}));
  }

  SlotLedger ledger_{Settings(true)};
  Time now_;
  std::vector<LedgerAction> actions_;
  std::uint32_t generation_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace ringway::ledger

#endif  // RINGWAY_TESTS_LEDGER_LEDGER_RIG_H_
