// One keyed request at the router where it entered, from its claim to its end.
//
//   waiting -> claiming -> holding (it runs) -> settling -> gone
//                 |  \-> attached (another runs it) -> claiming, or answered
//                 \----> confirming (it is done already, but perhaps not at a quorum) -> answered
//
// While it holds, settles, or lingers (given up, but its worker has not confirmed), others may wait for its
// end: callers are other routers, followers are later requests with the same key at this one. A plain
// gathering; once_machine.h has the rules. One owner thread.
#ifndef RINGWAY_ROUTER_ONCE_KEYED_REQUEST_H_
#define RINGWAY_ROUTER_ONCE_KEYED_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state.h"
#include "core/time.h"
#include "router/once/membership.h"
#include "router/once/messages.h"

namespace ringway::router::once {

// Number of an ask from another router that is waiting for its reply.
using CallId = std::uint64_t;

enum class Stage : std::uint8_t {
  kWaiting,     // for this router to know a view, or for an earlier request with the same key
  kClaiming,    // one replica is asked at a time
  kPausing,     // too few replicas agreed; it goes round again in a moment
  kAttached,    // the owner of the claim on record is asked to tell its end
  kConfirming,  // a known end is being recorded as that of this claim
  kHolding,     // the claim stands: the job may run
  kSettling,    // it is done: the end is being recorded
  kLingering,   // given up; its attempt was withdrawn and not confirmed: until it is, or the deadline has
                // passed
};

// A replica has the claim on record; it may forget it if it starts again.
struct Consent {
  Replica replica;
  Time asked;           // by the request that it agreed to
  bool unsure = false;  // it may have started again since
  RINGWAY_STATE(replica, asked, unsure)
};

struct KeyedRequest {
  std::uint64_t ticket = 0;
  JobId job;  // invalid: lingering
  std::string key;
  std::uint64_t fingerprint = 0;
  Time deadline;
  Stage stage = Stage::kWaiting;
  ClaimId claim;
  std::vector<ClaimId> over;      // claims of earlier rounds that this one takes over from
  ViewId view;                    // in which all is agreed to
  std::size_t quorum = 0;         // in it
  std::vector<Replica> replicas;  // in it, by rank
  std::size_t next = 0;           // of them, to be asked
  std::vector<Consent> standing;  // where the claim stands
  Consent awaited;                // claiming: whose answer is, if it is a consent
  std::optional<Record> found;    // confirming, settling: the end; claiming: a claim whose owner is silent
  std::size_t agreed = 0;         // confirming, settling: replicas that have the end
  std::size_t asked = 0;          // confirming, settling: replies outstanding
  int tries = 0;
  bool unready = false;  // a replica is in another view, or reads what was recorded before its own
  std::vector<CallId> callers;
  std::vector<std::uint64_t> followers;  // tickets
  bool following = false;
  // Claiming: of the ends that replicas have told, that of the latest round, and who has accepted it in
  // `view`.
  std::optional<Record> seen;
  std::vector<std::uint64_t> voters;  // marks
  std::uint32_t round = 1;            // pausing: of the claim that it goes round with
  RINGWAY_STATE(ticket, job, key, fingerprint, deadline, stage, claim, over, view, quorum, replicas, next,
                standing, awaited, found, agreed, asked, tries, unready, callers, followers, following, seen,
                voters, round)
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_KEYED_REQUEST_H_
