// The users of a simulation: they arrive by the demand's laws, wait with patience, and may try again.
//
// Open loop: arrivals do not wait for answers. A user whose job was not served tries again with probability
// resubmit_share after an exponential pause, up to resubmit_max times, as a person presses the button again;
// that is the sustaining effect of metastable failures (dispatch must survive it, not assume it away). A user
// enters at a live router of the own region, else of the nearest region that has one.
//
// Service times are drawn per submission with the clients's own stream, so two policies get the same jobs. A
// job of a trace takes the time that was recorded for it, with every try; where only its size was, a drawn
// time is multiplied by that. One owner.
#ifndef RINGWAY_SIM_CLIENTS_H_
#define RINGWAY_SIM_CLIENTS_H_

#include <cstdint>
#include <vector>

#include "core/prefetch.h"
#include "core/rng.h"
#include "sim/arrivals.h"
#include "sim/observer.h"
#include "sim/routers.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

class Clients {
 public:
  Clients(Stage& stage, const Scenario& scenario, const Routers& routers);

  void Begin();
  void OnArrives(std::size_t stream, std::uint32_t generation);
  void OnRetries(UserIndex user);
  void OnGivesUp(UserIndex user, std::uint32_t serial_low);
  void OnAnswer(UserIndex user, std::uint32_t detail);
  // Tells the observers of the users that are still without an answer.
  void End() const;

  // A hint: the user is about to be answered.
  void Foresee(UserIndex user) const {
    if (user < users_.size()) Prefetch(&users_[user]);
  }

  // Multiplies the demand of these regions, from now on; empty: all.
  // Of what users of the region submit, the share that fails at whatever worker.
  void SetBadShare(RegionId region, double share) { bad_share_[region] = share; }
  void Scale(const RegionSet& regions, double factor);

 private:
  struct User {
    std::size_t stream = 0;
    int tries = 0;
    const RecordedJob* recorded = nullptr;  // null: nothing is known
    std::uint64_t key = 0;                  // of each try; 0: none
    JobSerial serial = 0;                   // of the submission in flight
    absl::Time submitted;
    bool free = true;
  };
  struct Stream {
    explicit Stream(ArrivalStream arrivals_in) : arrivals(std::move(arrivals_in)) {}
    ArrivalStream arrivals;
    absl::Duration patience;
    const RecordedJob* next = nullptr;  // of the scheduled arrival
    std::uint32_t generation = 0;       // of the scheduled arrival
    double factor = 1;
  };

  void ScheduleNext(std::size_t stream);
  UserIndex NewUser(std::size_t stream, std::uint64_t key);
  double ServiceS(const User& user);
  absl::Duration PatienceOf(const User& user) const;
  void Submit(UserIndex index);
  RegionId RegionOf(const User& user);
  RouterId EntryRouter(RegionId region);
  void EndFor(UserIndex index, const AnswerNote& answer);

  Stage& stage_;
  const Scenario& scenario_;
  const Routers& routers_;
  Rng services_;
  Rng choices_;
  Rng keys_;
  Rng uploads_;
  std::uint64_t last_key_ = 0;
  std::vector<Stream> streams_;
  std::vector<User> users_;
  std::vector<UserIndex> free_users_;
  JobSerial last_serial_ = 0;
  IdVector<RegionId, std::vector<RouterId>> routers_of_;
  IdVector<RegionId, double> bad_share_;
  IdVector<RegionId, std::vector<RegionId>> nearest_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_CLIENTS_H_
