#include "cli/demo/job_client.h"

#include <chrono>
#include <utility>

#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::demo {

// One job's stream; deletes itself when gRPC is done with it.
class JobClient::Call : public grpc::ClientBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  Call(JobClient& client, std::size_t ticket, v1::Ingress::Stub& stub, const v1::JobHeader& header,
       const std::string& payload)
      : client_(client) {
    result_.ticket = ticket;
    result_.end.set_outcome("failed");
    *header_.mutable_header() = header;
    chunk_.set_chunk(payload);
    context_.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(client.limit_));
    stub.async()->Submit(&context_, this);
    StartWrite(&header_);
    StartRead(&down_);
    StartCall();
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return;
    if (std::exchange(chunk_sent_, true)) return;
    StartWriteLast(&chunk_, grpc::WriteOptions());
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (down_.has_end()) {
      result_.end = down_.end();
      ended_ = true;
    }
    StartRead(&down_);
  }
  void OnDone(const grpc::Status& status) override {
    if (!ended_) result_.end.set_message(status.error_message());
    result_.at = runtime::MonotonicNow();
    client_.Ended(std::move(result_));
    delete this;
  }

 private:
  JobClient& client_;
  grpc::ClientContext context_;
  v1::JobUp header_;
  v1::JobUp chunk_;
  v1::JobDown down_;
  JobEnd result_;
  bool chunk_sent_ = false;
  bool ended_ = false;
};

JobClient::~JobClient() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return in_flight_ == 0; });
}

bool JobClient::Send(std::size_t ticket, const std::string& router, const v1::JobHeader& header,
                     const std::string& payload) {
  {
    const std::lock_guard lock(mutex_);
    if (in_flight_ >= kInFlightMax) return false;
    ++in_flight_;
  }
  std::unique_ptr<v1::Ingress::Stub>& stub = stubs_[router];
  if (!stub) stub = v1::Ingress::NewStub(runtime::MakeChannel(router));
  new Call(*this, ticket, *stub, header, payload);
  return true;
}

std::vector<JobEnd> JobClient::Take(absl::Time until) {
  std::unique_lock lock(mutex_);
  const absl::Duration left = until - runtime::MonotonicNow();
  if (left > absl::ZeroDuration()) {
    changed_.wait_for(lock, absl::ToChronoMicroseconds(left), [this] { return !ended_.empty(); });
  }
  return std::exchange(ended_, {});
}

std::size_t JobClient::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

void JobClient::Ended(JobEnd end) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(end));
  --in_flight_;
  changed_.notify_all();
}

}  // namespace ringway::demo
