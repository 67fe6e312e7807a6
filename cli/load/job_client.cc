#include "cli/load/job_client.h"

#include <chrono>
#include <utility>

#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::load {

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
  }
  void Cancel() { context_.TryCancel(); }

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
    client_.Ended(this, std::move(result_));
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
  changed_.wait(lock, [this] { return calls_.empty(); });
}

bool JobClient::Send(std::size_t ticket, const std::string& router, const v1::JobHeader& header,
                     const std::string& payload) {
  if (in_flight() >= kInFlightMax) return false;
  std::unique_ptr<v1::Ingress::Stub>& stub = stubs_[router];
  if (!stub) stub = v1::Ingress::NewStub(runtime::MakeChannel(router));
  Call* const call = new Call(*this, ticket, *stub, header, payload);
  {
    const std::lock_guard lock(mutex_);
    calls_.insert(call);
  }
  call->StartCall();  // it may end, and be gone, before this returns
  return true;
}

std::vector<JobEnd> JobClient::Take(Time until) {
  std::unique_lock lock(mutex_);
  const Duration left = until - runtime::MonotonicNow();
  if (left > ZeroDuration()) {
    changed_.wait_for(lock, absl::ToChronoMicroseconds(left), [this] { return !ended_.empty(); });
  }
  return std::exchange(ended_, {});
}

std::size_t JobClient::in_flight() const {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

void JobClient::CancelAll() {
  const std::lock_guard lock(mutex_);
  for (Call* const call : calls_) call->Cancel();
}

void JobClient::Ended(Call* call, JobEnd end) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(end));
  calls_.erase(call);
  changed_.notify_all();
}

}  // namespace ringway::load
