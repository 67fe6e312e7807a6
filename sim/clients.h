// The users of a simulation: they arrive by the demand's laws, wait with patience, and may try again.
//
// Open loop: arrivals do not wait for answers. A user whose job was not served tries again with probability
// resubmit_share after an exponential pause, up to resubmit_max times, as a person presses the button again;
// that is the sustaining effect of metastable failures (dispatch must survive it, not assume it away). A user
// enters at a live router of the own region, else of the nearest region that has one.
//
// Service times are drawn per submission with the clients's own stream, so two policies get the same jobs. A
// job of a trace takes the time that was recorded for it, with every try; where only its size was, a drawn
// time is multiplied by that.
//
// A simulation that starts later than at zero lets everybody come and go before without a fleet
// (clients_ahead.cc), so that every later user is the same as in a run from zero. Only what depends on
// answers, trying again, cannot be known that way (sim/study/slice_plan.h refuses it). One owner.
#ifndef RINGWAY_SIM_CLIENTS_H_
#define RINGWAY_SIM_CLIENTS_H_

#include <cstdint>
#include <vector>

#include "core/rng.h"
#include "sim/demand/arrivals.h"
#include "sim/fleet/routers.h"
#include "sim/observers/observer.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

class Clients {
 public:
  Clients(Stage& stage, const Scenario& scenario, const Routers& routers);

  // From the stage's time on.
  void Begin();
  void OnArrives(std::size_t stream, std::uint32_t generation);
  void OnRetries(UserIndex user);
  void OnGivesUp(UserIndex user, std::uint32_t serial_low);
  // It closes its stream.
  void OnLeaves(UserIndex user, std::uint32_t serial_low);
  void OnAnswer(UserIndex user, std::uint32_t detail);
  // Tells the observers of the users that are still without an answer.
  void End() const;

  // Of what users of the region submit, the share that fails at whatever worker.
  void SetBadShare(RegionId region, double share) { bad_share_[region] = share; }
  // Multiplies the demand of these regions, from now on; empty: all.
  void Scale(const RegionSet& regions, double factor);

 private:
  // Of the demand: where it is scaled below, nobody comes again either.
  static constexpr double kNobody = 1e-6;

  struct User {
    std::size_t stream = 0;
    int tries = 0;
    const RecordedJob* recorded = nullptr;  // null: nothing is known
    std::uint64_t key = 0;                  // of each try; 0: none
    JobSerial serial = 0;                   // of the submission in flight
    RouterId entry = {};                    // where that entered
    Time submitted;
    bool free = true;
  };
  struct Stream {
    explicit Stream(ArrivalStream arrivals_in) : arrivals(std::move(arrivals_in)) {}
    ArrivalStream arrivals;
    Duration patience;
    const RecordedJob* next = nullptr;  // of the scheduled arrival
    std::uint32_t generation = 0;       // of the scheduled arrival
    double factor = 1;
  };

  void ScheduleNext(std::size_t stream);
  // All that users do before `begins_ns`, as far as it shapes what they do later.
  void GoAhead(std::int64_t begins_ns);
  void StepAhead(const SimEvent& event);
  void ArriveAhead(std::size_t stream, std::uint32_t generation);
  // The draws of a submission that nobody sees.
  void SubmitAhead(UserIndex index);
  std::int64_t NowNs() const { return arrivals_->now_ns(); }
  UserIndex NewUser(std::size_t stream, std::uint64_t key);
  void ScheduleTwin(std::size_t stream, std::uint64_t key);
  void Leave(UserIndex index);
  double ServiceS(const User& user);
  Duration PatienceOf(const User& user) const;
  void Submit(UserIndex index);
  void ScheduleLeaving(UserIndex index);
  RegionId RegionOf(const User& user);
  RouterId EntryRouter(RegionId region);
  void EndFor(UserIndex index, const AnswerNote& answer);

  Stage& stage_;
  const Scenario& scenario_;
  const Routers& routers_;
  EventQueue* arrivals_;  // where users are scheduled: the stage's, but for GoAhead
  Rng services_;
  Rng choices_;
  Rng keys_;
  Rng uploads_;
  Rng leaves_;
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
