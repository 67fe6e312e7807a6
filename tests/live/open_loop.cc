#include "tests/live/open_loop.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/rng.h"
#include "runtime/grpc_server.h"
#include "tests/live/job_call.h"

namespace ringway::live {

// Outlives the loop as long as a call is under way.
struct OpenLoop::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<JobRecord> records;  // guarded by mutex; an ended job's entry is final
  std::size_t ended = 0;           // guarded by mutex
};

// One job. gRPC calls it on its threads, one callback at a time; deletes itself.
class OpenLoop::Call final : public grpc::ClientBidiReactor<v1::JobUp, v1::JobDown> {
 public:
  Call(std::shared_ptr<Shared> shared, std::size_t index, const Load& load, v1::JobHeader header)
      : shared_(std::move(shared)), index_(index), started_(absl::Now()) {
    record_.request_id = header.request_id();
    record_.sent = started_;
    *up_.mutable_header() = std::move(header);
    context_.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(load.call_limit));
  }

  void Begin(v1::Ingress::Stub& router) {
    router.async()->Submit(&context_, this);
    StartRead(&down_);
    StartWriteLast(&up_, grpc::WriteOptions());
    StartCall();
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (down_.has_chunk()) record_.result += down_.chunk();
    if (down_.has_end()) record_.end = std::move(*down_.mutable_end());
    StartRead(&down_);
  }

  // The call goes before the loop hears of its end: were it the last owner of the channel, it would take down
  // gRPC's callback threads from one of them, which gRPC 1.51 does not survive.
  void OnDone(const grpc::Status& status) override {
    record_.took = absl::Now() - started_;
    record_.code = status.error_code();
    record_.problem = status.ok() ? record_.end.message() : status.error_message();
    const std::shared_ptr<Shared> shared = shared_;
    const std::size_t index = index_;
    JobRecord record = std::move(record_);
    delete this;
    const std::lock_guard lock(shared->mutex);
    shared->records[index] = std::move(record);
    ++shared->ended;
    shared->changed.notify_all();
  }

  const std::shared_ptr<Shared> shared_;
  const std::size_t index_;
  const Time started_;
  grpc::ClientContext context_;
  v1::JobUp up_;
  v1::JobDown down_;
  JobRecord record_;
};

OpenLoop::OpenLoop(Load load) : load_(std::move(load)), shared_(std::make_shared<Shared>()) {
  for (const std::string& router : load_.routers) {
    stubs_.push_back(v1::Ingress::NewStub(runtime::MakeChannel(router)));
  }
}

OpenLoop::~OpenLoop() {
  if (sender_.joinable()) sender_.join();
}

void OpenLoop::Start() {
  sender_ = std::thread([this] { SendAll(); });
}

void OpenLoop::SendAll() {
  Rng rng(load_.seed);
  Time next = absl::Now();
  const Time end = next + load_.span;
  for (std::size_t i = 0; i < load_.jobs_max; ++i) {
    next += Seconds(rng.Exponential() / load_.rps);
    if (next >= end || stopped_) return;
    absl::SleepFor(next - absl::Now());
    v1::JobHeader header = Header(load_.tier, absl::StrCat(load_.name, "-", i));
    if (load_.keyed) header.set_idempotency_key(header.request_id());
    header.set_deadline_s(load_.deadline_s);
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->records.emplace_back();
    }
    (new Call(shared_, i, load_, std::move(header)))->Begin(*stubs_[i % stubs_.size()]);
  }
}

void OpenLoop::Stop() { stopped_ = true; }

std::size_t OpenLoop::sent() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->records.size();
}

std::size_t OpenLoop::ended() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->ended;
}

std::vector<JobRecord> OpenLoop::Finish() {
  sender_.join();
  std::unique_lock lock(shared_->mutex);
  // Each call ends by its own limit.
  shared_->changed.wait(lock, [this] { return shared_->ended == shared_->records.size(); });
  return shared_->records;
}

Tally Count(const std::vector<JobRecord>& records) {
  Tally tally;
  for (const JobRecord& record : records) {
    ++tally.jobs;
    tally.done += record.done() ? 1 : 0;
    tally.attempts += record.end.trace().offers();
  }
  return tally;
}

std::vector<JobRecord> Between(const std::vector<JobRecord>& records, Time from, Time to) {
  std::vector<JobRecord> chosen;
  for (const JobRecord& record : records) {
    if (record.sent >= from && record.sent < to) chosen.push_back(record);
  }
  return chosen;
}

std::string Failures(const std::vector<JobRecord>& records, std::size_t limit) {
  std::string text;
  std::size_t count = 0;
  for (const JobRecord& record : records) {
    if (record.done() || ++count > limit) continue;
    absl::StrAppend(&text, "\n  ", record.request_id, ": status ", static_cast<int>(record.code),
                    ", outcome '", record.end.outcome(), "', after ", absl::FormatDuration(record.took), ": ",
                    record.problem);
  }
  if (count > limit) absl::StrAppend(&text, "\n  and ", count - limit, " more");
  return text;
}

}  // namespace ringway::live
