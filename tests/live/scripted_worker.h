// A worker that says what a test wants it to say: a server of the worker's protocol inside the test.
//
// Real workers keep to the protocol; this one announces any name, tier and model, and answers a job by a
// function of the test, so that routers meet what a broken or hostile machine would send. It takes any number
// of jobs and always announces itself as idle.
//
// Threads: gRPC's; the script runs on them, one call each. It must outlive the routers that talk to it, or
// they must be stopped first.
#ifndef RINGWAY_TESTS_LIVE_SCRIPTED_WORKER_H_
#define RINGWAY_TESTS_LIVE_SCRIPTED_WORKER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "core/picture_terms.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/grpc_server.h"

namespace ringway::live {

using WorkerStream = grpc::ServerReaderWriter<v1::JobDown, v1::JobUp>;

struct WorkerScript {
  std::string name = "scripted";
  std::string tier = "animate";
  std::string model = "";
  PictureTerms pictures = {};
  // Between the acceptance and the end of the call; the upload has been read.
  std::function<void(WorkerStream& stream, const v1::JobHeader& header, const std::string& payload)> run;
  // Whether it says that it has this attempt; null: it is of a release that does not know the question.
  std::function<bool(const std::string& attempt)> withdraw = nullptr;
};

// The last message of a job that is done.
v1::JobDown DoneMessage(const std::string& worker, const std::string& content_type = "video/mp4");

class ScriptedWorker final : private v1::Worker::Service {
 public:
  explicit ScriptedWorker(WorkerScript script);
  ~ScriptedWorker() override;
  const std::string& address() const { return server_->address(); }

 private:
  grpc::Status Run(grpc::ServerContext* context, WorkerStream* stream) override;
  grpc::Status Watch(grpc::ServerContext* context, const v1::WatchRequest* request,
                     grpc::ServerWriter<v1::WorkerState>* writer) override;
  grpc::Status Withdraw(grpc::ServerContext* context, const v1::WithdrawRequest* request,
                        v1::WithdrawReply* reply) override;

  const WorkerScript script_;
  absl::StatusOr<runtime::GrpcServer> server_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_SCRIPTED_WORKER_H_
