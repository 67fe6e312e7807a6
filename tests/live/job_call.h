// One job, sent by hand: to a worker (Run) or to a router (Submit, or Forward as another router), which speak
// the same messages.
//
// Blocking, one thread. Every call has a time limit, so a test cannot hang on it.
#ifndef RINGWAY_TESTS_LIVE_JOB_CALL_H_
#define RINGWAY_TESTS_LIVE_JOB_CALL_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "ringway/v1/job.grpc.pb.h"
#include "ringway/v1/worker.grpc.pb.h"

namespace ringway::live {

// A header that every hop accepts, for `tier`.
v1::JobHeader Header(const std::string& tier, const std::string& request_id = "test");

struct JobAnswer {
  grpc::Status status;  // of the call
  v1::End end;          // outcome empty: the call ended without one
  bool accepted = false;
  std::vector<std::uint32_t> steps;  // as they were reported
  std::string result;
  std::map<std::string, std::string> trailers;
  std::string trailer(const std::string& name) const {
    return trailers.contains(name) ? trailers.at(name) : "";
  }
  const std::string& outcome() const { return end.outcome(); }
};

class JobCall {
 public:
  static constexpr Duration kLimit = Seconds(40);
  // `limit`: no call lasts longer, so that no test hangs.
  static JobCall ToWorker(v1::Worker::Stub& worker, Duration limit = kLimit);
  static JobCall ToRouter(v1::Ingress::Stub& router, Duration limit = kLimit);
  static JobCall ToPeer(v1::Peer::Stub& router, Duration limit = kLimit);

  // Sends the header, the payload in chunks, and the end of the upload.
  JobCall& Send(const v1::JobHeader& header, std::string_view payload = {});
  // Sends the header only and keeps the upload open.
  JobCall& SendHeader(const v1::JobHeader& header);
  JobCall& SendChunk(std::string_view bytes);
  JobCall& EndUpload();
  // Reads until a worker has accepted; false: the call ended before.
  bool AwaitAccepted();
  // Reads until `step` has been reported; false: the call ended before.
  bool AwaitStep(std::uint32_t step);
  void Cancel() { context_->TryCancel(); }
  // Reads to the end.
  JobAnswer Await();

 private:
  using Stream = grpc::ClientReaderWriter<v1::JobUp, v1::JobDown>;
  JobCall(std::unique_ptr<grpc::ClientContext> context, std::unique_ptr<Stream> stream)
      : context_(std::move(context)), stream_(std::move(stream)) {}
  bool ReadOne();
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;
  JobAnswer answer_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_JOB_CALL_H_
