#include "runtime/call_guard.h"

#include <grpc/grpc_security.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "runtime/bearer_token.h"
#include "runtime/clock.h"

namespace ringway::runtime {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr char kHealthService[] = "grpc.health.v1.Health";
// A path is the caller's; no more of it is repeated in the log.
constexpr std::size_t kPathShownMax = 80;

std::string_view View(const grpc_slice& slice) {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)), GRPC_SLICE_LENGTH(slice)};
}

// gRPC's core asks this of each call, before the call is matched with a method.
void Process(void* state, grpc_auth_context*, const grpc_metadata* fields, std::size_t count,
             grpc_process_auth_metadata_done_cb done, void* call) {
  std::string_view path;
  std::optional<std::string_view> authorization;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = View(fields[i].key);
    if (name == ":path") path = View(fields[i].value);
    if (name == kTokenHeader) authorization = View(fields[i].value);
  }
  const auto& guard = *static_cast<const std::shared_ptr<const CallGuard>*>(state);
  const grpc::Status status = guard->Admit(path, authorization);
  done(call, nullptr, 0, nullptr, 0, static_cast<grpc_status_code>(status.error_code()),
       status.ok() ? nullptr : status.error_message().c_str());
}

// grpc++ refuses a processor on its own insecure credentials; the core beneath does not.
class Credentials final : public grpc::ServerCredentials {
 public:
  explicit Credentials(std::shared_ptr<const CallGuard> guard) : guard_(std::move(guard)) {}
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    grpc_server_credentials* const core = grpc_insecure_server_credentials_create();
    const auto destroy = [](void* state) { delete static_cast<std::shared_ptr<const CallGuard>*>(state); };
    grpc_server_credentials_set_auth_metadata_processor(
        core, {Process, destroy, new std::shared_ptr<const CallGuard>(guard_)});
    const int port = grpc_server_add_http2_port(server, address.c_str(), core);
    grpc_server_credentials_release(core);
    return port;
  }

  const std::shared_ptr<const CallGuard> guard_;
};

}  // namespace

CallGuard::CallGuard(CallRule others, Report report)
    : others_(Sound(std::move(others))), report_(std::move(report)) {
  Set(kHealthService, {});
}

CallRule CallGuard::Sound(CallRule rule) {
  std::erase(rule.secrets, "");
  return rule;
}

const CallRule& CallGuard::RuleFor(std::string_view path) const {
  const std::size_t end = path.rfind('/');
  if (path.empty() || path.front() != '/' || end == 0) return others_;
  const auto found = rules_.find(path.substr(1, end - 1));
  return found == rules_.end() ? others_ : found->second;
}

grpc::Status CallGuard::Admit(std::string_view path, std::optional<std::string_view> authorization) const {
  const CallRule& rule = RuleFor(path);
  if (rule.calls_per_second_max > 0 && !WithinRate(rule)) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            absl::StrCat("this port takes ", rule.calls_per_second_max, " calls a second; try again")};
  }
  if (rule.secrets.empty()) return grpc::Status::OK;
  const bool bearer = authorization && authorization->starts_with(kBearer);
  bool same = false;
  for (const std::string& secret : rule.secrets) {
    if (bearer && SameSecret(authorization->substr(kBearer.size()), secret)) same = true;
  }
  if (same) return grpc::Status::OK;
  grpc::Status refusal =
      authorization
          ? grpc::Status(grpc::StatusCode::PERMISSION_DENIED,
                         absl::StrCat("the token is not the one that this port was given; check ", rule.flag))
          : grpc::Status(
                grpc::StatusCode::UNAUTHENTICATED,
                absl::StrCat("this port wants 'authorization: Bearer <token>'; give it with ", rule.flag));
  Note(path, rule, refusal);
  return rule.enforce ? refusal : grpc::Status::OK;
}

bool CallGuard::WithinRate(const CallRule& rule) const {
  const Time now = MonotonicNow();
  const double most = rule.calls_per_second_max * kBurst_s;
  const std::lock_guard lock(rates_mutex_);
  const auto [found, first] = rates_.try_emplace(&rule, Rate{most, now});
  Rate& rate = found->second;
  rate.calls =
      std::min(most, rate.calls + ToDoubleSeconds(now - rate.counted_at) * rule.calls_per_second_max);
  rate.counted_at = now;
  if (rate.calls < 1) return false;
  rate.calls -= 1;
  return true;
}

void CallGuard::Note(std::string_view path, const CallRule& rule, const grpc::Status& refusal) const {
  if (rule.refused) rule.refused();
  refused_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t now_ns = ToUnixNanos(MonotonicNow());
  std::int64_t quiet_until_ns = quiet_until_ns_.load(std::memory_order_relaxed);
  if (now_ns < quiet_until_ns) return;
  const std::int64_t next_ns = now_ns + ToInt64Nanoseconds(kReportPeriod);
  if (!quiet_until_ns_.compare_exchange_strong(quiet_until_ns, next_ns)) return;
  std::string shown(path.substr(0, kPathShownMax));
  for (char& c : shown) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  report_(absl::StrCat(rule.enforce ? "refused " : "would refuse ", refused_.exchange(0),
                       " calls without the right token, the last of them ", shown, ": ",
                       AbslView(refusal.error_message())));
}

std::shared_ptr<grpc::ServerCredentials> GuardedCredentials(std::shared_ptr<const CallGuard> guard) {
  return std::make_shared<Credentials>(std::move(guard));
}

}  // namespace ringway::runtime
