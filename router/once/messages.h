// What routers say to each other about keyed jobs, as values.
//
// A key belongs to one claim at a time. A claim is one router's right to run the job: (round, owner, life,
// serial); a claim that takes over from another has a higher round. A record is what a replica knows of a
// key: whose claim it is, or that the job is done, and with what result. Every ask has one reply, or is known
// not to have been answered; it may have been performed all the same, and any of them may come twice or late.
//
// Times in records are the replica's own; the wire carries what remains. Threads: values.
#ifndef RINGWAY_ROUTER_ONCE_MESSAGES_H_
#define RINGWAY_ROUTER_ONCE_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "core/ids.h"

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
  absl::Time until = absl::InfinitePast();
  Result result = {};
};

// To a replica: record this claim, unless the key is taken; a claim among `over` gives way.
struct ClaimRequest {
  std::string key;
  std::uint64_t fingerprint = 0;
  ClaimId claim;
  absl::Duration hold = absl::ZeroDuration();  // after which the owner cannot run the job any more
  std::vector<ClaimId> over = {};              // at most two
};
// To a replica: the claim is done. Also carries a known end to a replica that has not got it, instead of a
// claim that the sender gives up for it.
struct SettleRequest {
  Record record;
  ClaimId instead_of = {};
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
  absl::Duration patience = absl::ZeroDuration();
};
// To any router: what do you know of the keys that I keep, in the order of the keys, from after `after` on?
struct PullRequest {
  std::uint64_t replica = 0;  // the asker's mark
  std::string after = {};
};
// To a replica that has become one because another left.
struct CopyRequest {
  Record record;
};

struct Request {
  std::uint64_t ticket = 0;  // of the asker; does not travel, and comes back with the reply
  std::variant<ClaimRequest, SettleRequest, ReleaseRequest, AttachRequest, PullRequest, CopyRequest> what;
};

enum class Verdict : std::uint8_t {
  kOk,            // performed
  kTaken,         // the key is another claim's: `records` has it
  kExpired,       // as kTaken, and its owner cannot run it any more
  kBehind,        // the key is free, for claims of a later round than that of `records`
  kNotReady,      // this replica has just started and does not know yet what it knew before
  kFull,          // this replica can take no more records
  kNotMine,       // no such claim is alive here
  kEndedWithout,  // the claim was given up; nothing runs
  kDone,          // the claim is done: `records` has it
};

struct Reply {
  Verdict verdict = Verdict::kOk;
  std::vector<Record> records = {};
  bool more = false;  // of a pull: ask again, after this key
  std::string cursor = {};
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_MESSAGES_H_
