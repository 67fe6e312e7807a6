// What routers and a ledger's leader say to each other, from the wire to values and back; the place that
// checks it.
//
// A worker crosses as its address, which both sides have from the directory; an address that the reader does
// not know is NotFound, and the message is about nobody (the directory of one side is older). Anything else
// that is wrong is InvalidArgument, names the field, and ends the stream: it comes from no sound router.
// Times cross as what remains and as age, bounded to a week; a deadline that has passed crosses as 0.
//
// Threads: pure functions. O(size of the message), and what a look-up of the directory costs.
#ifndef RINGWAY_ROUTER_WIRE_LEDGER_CODEC_H_
#define RINGWAY_ROUTER_WIRE_LEDGER_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/lease.h"
#include "core/tier.h"
#include "core/time.h"
#include "ringway/v1/ledger.pb.h"
#include "router/dispatch/ledger/messages.h"
#include "router/session/ledger_session.h"

namespace ringway::router {

// Where the workers' numbers of this process are found.
class WorkerNames {
 public:
  virtual ~WorkerNames() = default;
  // Invalid: unknown here.
  virtual WorkerId FindWorker(std::string_view address) const = 0;
  virtual std::string_view AddressOf(WorkerId worker) const = 0;
};

struct LedgerGreeting {
  std::string router;
  std::string tier;
  std::string region = {};  // of a leader that listens from there; empty: a router of the own region
  Duration hint_period = ZeroDuration();
};

// ---- router to leader ----
v1::LedgerUp EncodeGreeting(const LedgerGreeting& greeting);
absl::StatusOr<LedgerGreeting> DecodeGreeting(const v1::LedgerUp& message);

// An Ask, Withdraw, Renew or Release; anything else is not a router's to say (checked).
v1::LedgerUp EncodeUp(Time now, const ledger::LedgerEvent& event, const Fleet& fleet, TierId tier,
                      const WorkerNames& names);
// `from` becomes the router of the ask. A priority that the tier does not have is its last one, a region that
// the fleet does not have is none.
absl::StatusOr<ledger::LedgerEvent> DecodeUp(Time now, const v1::LedgerUp& message, RouterId from,
                                             const Fleet& fleet, TierId tier, const WorkerNames& names);

// ---- leader to leader of another region ----
v1::LedgerUp EncodeHintWanted(std::uint64_t number);

// ---- leader to router ----
v1::LedgerDown EncodeHeartbeat(const Fence& appointment, bool redirects);
LeaderHeartbeat DecodeHeartbeat(const v1::LedgerHeartbeat& message);
// `answers`: the number of the HintWanted; 0: none.
v1::LedgerDown EncodeHint(const ledger::IdleHint& hint, std::uint64_t answers);
ledger::IdleHint DecodeHint(const v1::LedgerHint& message);
// A Grant, Refuse, Withdrawn, LeaseLost or Redirect (checked).
v1::LedgerDown EncodeDown(const ledger::LedgerAction& action, const World& world, const WorkerNames& names);
// `self` becomes the router of the answer. Not for heartbeats and hints. NotFound: it names a worker or a
// region that is not known here.
absl::StatusOr<ledger::LedgerAction> DecodeDown(const v1::LedgerDown& message, RouterId self,
                                                const World& world, const WorkerNames& names);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_LEDGER_CODEC_H_
