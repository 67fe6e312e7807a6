// Between a job's header on the wire and what the machine needs of it, in both directions.
//
// Inwards: the header is checked field by field (proto/job_codec.h) and then against this router's fleet: the
// tier exists, the priority is one of its own, the hops are within the bound. A client does not say where a
// job comes from or how it was routed; those fields count only from another router. Outwards: the remaining
// deadline and the age are stated anew at every hop, because clocks of two machines do not agree.
//
// Threads: pure functions.
#ifndef RINGWAY_ROUTER_WIRE_JOB_HEADER_H_
#define RINGWAY_ROUTER_WIRE_JOB_HEADER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/model_set.h"
#include "core/picture_terms.h"
#include "core/time.h"
#include "ringway/v1/job.pb.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

// A job is forwarded once; the router that gets it serves it or refuses it.
inline constexpr std::uint32_t kForwardHopsMax = 1;

// The fleet as this router sees it now.
struct KnownFleet {
  std::shared_ptr<const Fleet> fleet;
  IdVector<TierId, bool> retired;                // tiers that the newest map does not have any more
  IdVector<TierId, ModelSet> models = {};        // of the workers of this region, as of the last beat
  IdVector<TierId, PictureTerms> pictures = {};  // likewise
  RegionId home;

  // Invalid: the fleet does not have it, or not any more.
  TierId TierNamed(const std::string& name) const {
    const auto tier = fleet->FindTier(name);
    return tier && !retired[*tier] ? *tier : TierId();
  }
};

// Errors: InvalidArgument, for whoever sent the job.
absl::StatusOr<JobFacts> FactsOf(const v1::JobHeader& header, bool forwarded, const KnownFleet& fleet,
                                 Time now);

// What does not change from attempt to attempt: the header without the words of a client that claims to be a
// router.
void Sanitize(v1::JobHeader& header, bool forwarded, const KnownFleet& fleet, const std::string& request_id);

// What an attempt is called on the wire, by which it is withdrawn. No two of a fleet have the same name, also
// after a restart: `incarnation` rises from one life of the router to the next.
std::string AttemptName(const std::string& router, std::uint64_t incarnation, AttemptId attempt);

// `attempt`: its name; empty: it cannot be withdrawn.
v1::JobUp HeaderForWorker(const v1::JobHeader& header, const JobFacts& facts, const std::string& lease,
                          Time now, const std::string& attempt = "");
// `rtt`: what the way there and back takes off the deadline.
v1::JobUp HeaderForRouter(const v1::JobHeader& header, const JobFacts& facts, const ForwardToRouter& forward,
                          Duration rtt, Time now, const std::string& attempt = "");

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_JOB_HEADER_H_
