#include "runtime/self_check.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <future>
#include <memory>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::runtime {
namespace {

constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";

// Where a client on this machine reaches what listens on `address`.
std::string Nearby(const std::string& address) {
  auto parsed = ParseAddress(address);
  if (!parsed.ok()) return address;
  if (parsed->host == "0.0.0.0" || parsed->host == "::") parsed->host = "127.0.0.1";
  return parsed->ToString();
}

std::shared_ptr<grpc::Channel> FreshChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

SelfCheck::SelfCheck(const std::string& address, const Logger& log, std::atomic<bool>& answers,
                     Duration period)
    : address_(Nearby(address)), log_(log), period_(period), answers_(answers), thread_([this] { Run(); }) {}

SelfCheck::~SelfCheck() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (call_ != nullptr) call_->TryCancel();
  }
  ended_.notify_all();
  thread_.join();
}

void SelfCheck::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const bool answered = Ask();
    lock.lock();
    if (stopping_) return;
    Note(answered);
    ended_.wait_for(lock, absl::ToChronoNanoseconds(period_), [this] { return stopping_; });
  }
}

bool SelfCheck::Ask() {
  grpc::GenericStub stub(FreshChannel(address_));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(period_));
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    call_ = &context;
  }
  const grpc::Slice nothing;
  grpc::ByteBuffer request(&nothing, 1);  // an empty HealthCheckRequest: the whole server
  grpc::ByteBuffer reply;
  std::promise<grpc::StatusCode> ended;
  stub.UnaryCall(&context, kHealthCheck, {}, &request, &reply,
                 [&ended](const grpc::Status& status) { ended.set_value(status.error_code()); });
  const grpc::StatusCode code = ended.get_future().get();
  const std::lock_guard lock(mutex_);
  call_ = nullptr;
  return code != grpc::StatusCode::UNAVAILABLE && code != grpc::StatusCode::DEADLINE_EXCEEDED;
}

void SelfCheck::Note(bool answered) {
  misses_ = answered ? 0 : misses_ + 1;
  if (answered && !answers_.exchange(true)) {
    log_.Info(absl::StrCat("the gRPC port ", address_, " answers again"));
  } else if (misses_ == kMissesMax) {
    answers_ = false;
    log_.Error(absl::StrCat("not ready: the own gRPC port ", address_, " has not answered ", kMissesMax,
                            " times in a row; too many connections, or file descriptors (LimitNOFILE)?"));
  }
}

}  // namespace ringway::runtime
