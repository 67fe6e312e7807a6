// A worker that says of itself what the test tells it to, and does every job at once.
//
// Serves Worker in the test's own process: Watch repeats its state ten times a second, numbered from where
// the test says (a real worker numbers from its clock); RaiseFence is obeyed; Run ends each job as done.
// Destroying it is the worker's death; another one at the same address is its next life. Threads: gRPC's own.
#ifndef RINGWAY_TESTS_ROUTER_FAKE_WORKER_H_
#define RINGWAY_TESTS_ROUTER_FAKE_WORKER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "core/lease.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/grpc_server.h"

namespace ringway::live {

class FakeWorker final : public v1::Worker::Service {
 public:
  FakeWorker(const std::string& tier, std::uint64_t first_sequence,
             const std::string& listen = "127.0.0.1:0");
  ~FakeWorker() override;
  const std::string& address() const { return server_->address(); }
  int jobs() const { return jobs_; }

 private:
  grpc::Status Run(grpc::ServerContext* context,
                   grpc::ServerReaderWriter<v1::JobDown, v1::JobUp>* stream) override;
  grpc::Status Watch(grpc::ServerContext* context, const v1::WatchRequest* request,
                     grpc::ServerWriter<v1::WorkerState>* stream) override;
  grpc::Status RaiseFence(grpc::ServerContext* context, const v1::FenceRequest* request,
                          v1::WorkerState* state) override;
  v1::WorkerState State();

  const std::string tier_;
  std::atomic<std::uint64_t> sequence_;
  std::atomic<int> jobs_{0};
  std::atomic<bool> dying_{false};
  std::mutex mutex_;
  Lease fence_;
  std::optional<runtime::GrpcServer> server_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_ROUTER_FAKE_WORKER_H_
