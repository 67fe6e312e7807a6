// What a job tells the synthetic backend, which does no work, beside what every job tells.
//
// It travels as a parameter of the job like any other, so routers carry it without knowing it. A value that is
// no number, or out of bounds, ends the job as rejected, with the parameter's name and its bounds.
//
// Constants only.
#ifndef RINGWAY_PROTO_SYNTHETIC_JOB_H_
#define RINGWAY_PROTO_SYNTHETIC_JOB_H_

namespace ringway::wire {

// The parameter with which a job brings its own service time, in seconds, above 0 and up to kServiceMaxS; so
// the same jobs take as long here as they do elsewhere. Without it the worker draws one.
inline constexpr char kServiceParameter[] = "service_seconds";
inline constexpr double kServiceMaxS = 3600;

}  // namespace ringway::wire

#endif  // RINGWAY_PROTO_SYNTHETIC_JOB_H_
