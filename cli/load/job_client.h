// Sends jobs to routers without waiting for them, and hands back how they ended.
//
// One gRPC bidirectional call a job on the library's own threads; ends are collected and taken by the loop of
// whoever sends (`ringway demo`, `ringway load`). Bounded: at most kInFlightMax jobs; more are not sent,
// which the sender has to count as a failure of its own.
//
// Threads: Send, Take and CancelAll from one owner; gRPC's threads add ends under a lock. The destructor
// waits until all calls are over; every call has a deadline, so that is bounded.
#ifndef RINGWAY_CLI_LOAD_JOB_CLIENT_H_
#define RINGWAY_CLI_LOAD_JOB_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/time.h"
#include "ringway/v1/job.grpc.pb.h"

namespace ringway::load {

struct JobEnd {
  std::size_t ticket = 0;  // as given to Send
  Time at;
  v1::End end;  // outcome "failed" with gRPC's words when the stream broke
};

class JobClient {
 public:
  static constexpr std::size_t kInFlightMax = 4000;

  explicit JobClient(Duration limit) : limit_(limit) {}
  ~JobClient();

  // False when too many are in flight.
  bool Send(std::size_t ticket, const std::string& router, const v1::JobHeader& header,
            const std::string& payload);
  // The ends since the last call. Waits for one until `until`.
  std::vector<JobEnd> Take(Time until);
  // Those in flight end soon, as failed: the routers cancel them on every hop.
  void CancelAll();
  std::size_t in_flight() const;

 private:
  class Call;
  void Ended(Call* call, JobEnd end);

  const Duration limit_;
  std::map<std::string, std::unique_ptr<v1::Ingress::Stub>> stubs_;  // by router; a few
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Call*> calls_;  // in flight
  std::vector<JobEnd> ended_;
};

}  // namespace ringway::load

#endif  // RINGWAY_CLI_LOAD_JOB_CLIENT_H_
