// The slot ledgers of a simulation: one seat for each region and tier in ledger mode, and who sits on it.
//
// A seat runs the production ledger (router/dispatch/ledger/slot_ledger.h) at the router that holds it; that
// router's life is the ledger's. Asks and answers travel inside the region like everything else; workers
// announce to whoever holds their seat. The shell does what the daemon's does: it names the router in an ask,
// translates worker ids, says hello to the region's routers so that they know the holder lives, and lets
// workers that have been silent announce again.
//
// Appointments: the controller seats the region's first living router. It looks at every beat; a holder that
// it finds dead at two beats running is replaced under a higher appointment, as soon as a router of the
// region lives and the controller reaches it. Without a controller a seat stays empty. Who has not heard of
// the appointment yet is told again at the next beat.
//
// Ids: a seat's workers are numbered from 0 (`Seat::first` is its first worker in the fleet), so a ledger is
// as large as its seat. Complexity: O(1) a message beside the ledger's own; a beat is O(routers), and every
// kAnnounceEvery one is O(workers). One owner.
#ifndef RINGWAY_SIM_HOLDERS_H_
#define RINGWAY_SIM_HOLDERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/ids.h"
#include "router/dispatch/ledger/slot_ledger.h"
#include "router/router_action.h"
#include "sim/routers.h"
#include "sim/scenario.h"
#include "sim/stage.h"
#include "sim/workers.h"

namespace ringway::sim {

class Holders {
 public:
  Holders(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers);

  void Begin();
  void OnLetter(std::size_t seat, std::uint64_t detail);
  void OnBatch(std::uint64_t detail);
  void OnWake(std::size_t seat, std::uint64_t appointment);
  void OnBeat();

  // A hint: the worker's slot is about to be asked for.
  void Foresee(WorkerId worker) const {
    if (const Seat* seat = SeatOfWorker(worker)) {
      seat->ledger->Foresee(WorkerId(worker.index() - seat->first.index()));
    }
  }

  // The router's process ended: its seats are empty, and other holders see its connection close.
  void RouterDied(RouterId router);

  // Whether the controller can appoint somebody in the region; set by whoever plays the controller.
  std::function<bool(RegionId)> can_appoint;

  // For the report and for tests.
  std::uint64_t appointments() const { return appointments_; }
  // Null: nobody holds the seat now.
  const ledger::SlotLedger* ledger(RegionId region, TierId tier) const;
  RouterId holder(RegionId region, TierId tier) const;

 private:
  static constexpr std::uint32_t kNoSeat = ~std::uint32_t{0};

  struct Seat {
    RegionId region;
    TierId tier;
    WorkerId first;  // of its workers in the fleet
    std::size_t workers = 0;
    RouterId router;  // invalid: nobody
    std::uint64_t appointment = 0;
    std::unique_ptr<ledger::SlotLedger> ledger;
    int beats_dead = 0;
    WakeCall wake;
    std::vector<std::uint64_t> told;  // by router of the region: the appointment it was last told of
    std::vector<Life> told_life;
  };

  // Announcements of many workers on their way together.
  struct Batch {
    std::ptrdiff_t seat = 0;
    std::uint64_t appointment = 0;
    std::vector<ledger::Announce> announcements;
  };

  std::uint32_t SeatOf(RegionId region, TierId tier) const { return seat_of_[region][tier]; }
  // Null: nobody holds it.
  const Seat* SeatOfWorker(WorkerId worker) const;
  void Appoint(Seat& seat);
  void TellSeated(Seat& seat);
  void Greet(const Seat& seat);
  void Step(Seat& seat, const ledger::LedgerEvent& event);
  void ArmWake(Seat& seat);
  void FromRouter(RouterId router, const router::TellLedger& tell);
  void FromWorker(WorkerId worker, ledger::Announce announce);
  void WorkerListed(WorkerId worker, bool listed);
  void LetAnnounce(const Seat& seat);
  void Send(const Seat& seat, std::int64_t after_ns, ledger::LedgerEvent event);
  void AnswerRouter(const Seat& seat, RouterId router, ledger::LedgerAction answer);
  void Fence(const Seat& seat, WorkerId local, const Lease& upto, bool revoke);
  // Within the region of the seat.
  std::int64_t HopNs(const Seat& seat) { return stage_.network.HereNs(seat.region); }
  WorkerId Global(const Seat& seat, WorkerId local) const {
    return WorkerId(seat.first.index() + local.index());
  }

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  Workers& workers_;
  std::vector<Seat> seats_;
  IdVector<RegionId, IdVector<TierId, std::uint32_t>> seat_of_;
  IdVector<RegionId, std::vector<RouterId>> routers_of_;
  MessagePool<Batch> batches_;
  std::vector<ledger::LedgerAction> actions_;
  std::uint64_t appointments_ = 0;
  std::uint64_t beats_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_HOLDERS_H_
