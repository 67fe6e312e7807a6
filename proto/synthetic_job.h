// What a job tells the synthetic backend, which does no work, beside what every job tells.
#ifndef RINGWAY_PROTO_SYNTHETIC_JOB_H_
#define RINGWAY_PROTO_SYNTHETIC_JOB_H_

namespace ringway::wire {

// The parameter with which a job brings its own service time, in seconds, above 0 and up to kServiceMaxS; so
// the same jobs take as long here as they do elsewhere. Without it the worker draws one.
inline constexpr char kServiceParameter[] = "service_seconds";
inline constexpr double kServiceMaxS = 3600;

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_SYNTHETIC_JOB_H_
