// What routers say to each other about keyed jobs, as values.
//
// A key belongs to one claim at a time. A claim is one router's right to run the job: (round, owner, life,
// serial); a claim that takes over from another has a higher round. A record is what a replica knows of a
// key: whose claim it is, or that the job is done, and with what result. Every ask has one reply, or is known
// not to have been answered; it may have been performed all the same, and any of them may come twice or late.
//
// Every ask names the view in which its sender ranked the replicas, every reply that of the replica (view.h);
// none is named by a router of an earlier release, which is taken at its word.
//
// Times in records are the replica's own; the wire carries what remains. Threads: values.
#ifndef RINGWAY_ROUTER_ONCE_MESSAGES_H_
#define RINGWAY_ROUTER_ONCE_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "router/once/view.h"

namespace ringway::router::once {

struct ClaimId {
  std::uint32_t round = 0;  // 0: no claim
  std::uint64_t owner = 0;  // the router's mark
  std::uint64_t life = 0;   // of that router: rises when it starts again
  std::uint64_t serial = 0;
  bool stated() const { return round != 0; }
  friend bool operator==(const ClaimId&, const ClaimId&) = default;
};

// Opaque here: the shell makes them and reads them.
struct Result {
  std::shared_ptr<const std::string> end = nullptr;    // the last message: outcome and trace
  std::shared_ptr<const std::string> bytes = nullptr;  // null: too large to be kept
};

struct Record {
  std::string key;
  std::uint64_t fingerprint = 0;  // of the request: the same key with another one is a mistake
  ClaimId claim;
  bool done = false;
  bool free = false;  // given up; kept for its round, which later claims have to exceed
  // Claimed: from then on the owner cannot run the job any more. Done: forgotten then.
  Time until = InfinitePast();
  Result result = {};
  // Of an end: the view in which this replica accepted it. Not stated: it is a copy of another's, which says
  // nothing of how many have accepted it.
  ViewId voted_in = {};
};

// To a replica: record this claim, unless the key is taken; a claim among `over` gives way. Who is granted it
// is told the end that is on record from an earlier round, and has to tell that one and no other.
struct ClaimRequest {
  std::string key;
  std::uint64_t fingerprint = 0;
  ClaimId claim;
  Duration hold = ZeroDuration();  // after which the owner cannot run the job any more
  std::vector<ClaimId> over = {};  // at most two
};
// To a replica: the claim is done: its job, or an end of an earlier round that it has found.
struct SettleRequest {
  Record record;
  ClaimId unused = {};  // journals of the release before have it
};
// To a replica: nothing runs and nothing came of it; the key is free.
struct ReleaseRequest {
  std::string key;
  ClaimId claim;
  int tries = 0;  // of the asker; does not travel
};
// To the owner of a claim: answer when it has ended, at the latest after `patience`.
struct AttachRequest {
  std::string key;
  ClaimId claim;
  Duration patience = ZeroDuration();
};
// To any router: follow me into this view, and tell what you know of the keys that I keep in it, in the order
// of the keys, from after `after` on.
struct PullRequest {
  std::uint64_t replica = 0;  // the asker's mark
  std::string after = {};
  ViewPtr view = nullptr;  // null: of an earlier release
};

struct Request {
  std::uint64_t ticket = 0;  // of the asker; does not travel, and comes back with the reply
  ViewId view = {};
  std::variant<ClaimRequest, SettleRequest, ReleaseRequest, AttachRequest, PullRequest> what;
};

enum class Verdict : std::uint8_t {
  kOk,        // performed
  kTaken,     // the key is another claim's, or done: `records` has that first, and the end if there is one
  kExpired,   // as kTaken, and its owner cannot run it any more
  kBehind,    // the key is free, for claims of a later round than that of `records`
  kNotReady,  // this replica does not know the view, or not yet what was recorded before it
  kFull,      // this replica can take no more records
  kNotMine,   // no such claim is alive here
  kEndedWithout,  // the claim was given up; nothing runs
  kDone,          // the claim is done: `records` has it
  kOldView,       // this replica has promised a later view: `views` has it
};

struct Reply {
  Verdict verdict = Verdict::kOk;
  std::vector<Record> records = {};
  ViewId view = {};  // of the replica
  // Of a pull:
  bool more = false;  // ask again, after this key
  std::string cursor = {};
  std::vector<KnownView> views = {};  // that this router is in, was in, or has heard of
  // The first view in which this life of the router has read all that it keeps. Of earlier ones it has
  // forgotten what it knew, if it was in them. Not stated: it is still reading.
  ViewId since = {};
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_MESSAGES_H_
