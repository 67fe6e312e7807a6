// Sends jobs at a given rate whether or not earlier ones have ended, as the world does, and keeps every
// outcome.
//
// Arrivals are Poisson from a seed and alternate between the given routers. A job is a small payload in one
// call; its record says when it was sent, how long it took, how the call and the job ended, and what the
// trace in its End told. An open loop shows what a closed one hides: a fleet that stalls does not slow its
// clients down.
//
// Start returns at once; Finish waits for the last job. Threads: one that sends, gRPC's that receive; use
// from one. Bounds: Load.jobs_max in all, call_limit for each.
#ifndef RINGWAY_TESTS_LIVE_OPEN_LOOP_H_
#define RINGWAY_TESTS_LIVE_OPEN_LOOP_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/time.h"
#include "ringway/v1/job.grpc.pb.h"

namespace ringway::live {

struct Load {
  std::vector<std::string> routers;  // host:port, used in turn
  std::string tier;
  double rps = 10;
  Duration span = Seconds(5);
  bool keyed = false;     // with idempotency keys
  double deadline_s = 0;  // 0: the tier's
  Duration call_limit = Seconds(30);
  std::string name = "load";  // request ids begin so
  std::uint64_t seed = 1;
  std::size_t jobs_max = 20'000;
};

struct JobRecord {
  std::string request_id;
  Time sent;
  Duration took;
  grpc::StatusCode code = grpc::StatusCode::UNKNOWN;
  std::string problem;  // the call's or the End's message
  v1::End end;
  std::string result;
  bool done() const { return code == grpc::StatusCode::OK && end.outcome() == "done"; }
};

// What a set of records amounts to.
struct Tally {
  std::size_t jobs = 0;
  std::size_t done = 0;
  std::size_t attempts = 0;  // offers made to workers, of the jobs that tell
  double attempts_per_job() const {
    return jobs == 0 ? 0 : static_cast<double>(attempts) / static_cast<double>(jobs);
  }
  double success() const { return jobs == 0 ? 0 : static_cast<double>(done) / static_cast<double>(jobs); }
};
Tally Count(const std::vector<JobRecord>& records);
// Those sent in [from, to).
std::vector<JobRecord> Between(const std::vector<JobRecord>& records, Time from, Time to);
// For messages of failed tests: up to `limit` records that are not done, one a line.
std::string Failures(const std::vector<JobRecord>& records, std::size_t limit = 10);

class OpenLoop {
 public:
  explicit OpenLoop(Load load);
  ~OpenLoop();
  void Start();
  // No more are sent; those under way go on. Finish waits for them.
  void Stop();
  // Jobs sent so far, and ended so far.
  std::size_t sent() const;
  std::size_t ended() const;
  // Waits until all are sent and ended; the records in the order in which they were sent.
  std::vector<JobRecord> Finish();

 private:
  class Call;
  struct Shared;
  void SendAll();
  const Load load_;
  std::atomic<bool> stopped_{false};
  std::shared_ptr<Shared> shared_;
  std::vector<std::unique_ptr<v1::Ingress::Stub>> stubs_;
  std::thread sender_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_OPEN_LOOP_H_
