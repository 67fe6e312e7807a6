// Who may call which service of a gRPC port: one check in front of all of them.
//
// Each service belongs to a rule: the secrets of which a caller presents one as `authorization: Bearer ...`.
// A service without a rule of its own falls under the rule for all others; a rule without secrets admits
// everybody. Health (grpc.health.v1) is always open, because probes carry no secrets. A refused call never
// reaches its service: gRPC ends it with UNAUTHENTICATED (nothing presented) or PERMISSION_DENIED (something
// wrong) as soon as its headers are there. Secrets are compared in a time that does not depend on where they
// differ. There is no encryption here: it keeps out mistakes and strangers inside a network that is trusted,
// not whoever can read the wire.
//
// A rule may bound how many calls come in a second. What is beyond ends as RESOURCE_EXHAUSTED here, before
// gRPC has made anything of it: a client that opens streams and resets them at once otherwise makes calls
// faster than gRPC 1.51 clears them away, gigabytes of them.
//
// While a fleet is being given its first token, a rule need not be enforced: strangers are counted, reported
// and admitted. Reports come at most once in kReportPeriod, with the number of calls.
//
// Source: gRPC's server_auth_filter, which any server credentials may carry. Threads: made by one owner;
// Admit from gRPC's threads. O(secrets of the rule).
#ifndef RINGWAY_RUNTIME_CALL_GUARD_H_
#define RINGWAY_RUNTIME_CALL_GUARD_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace ringway::runtime {

struct CallRule {
  std::vector<std::string> secrets;  // empty ones do not count; none at all: open
  std::string flag = {};             // with which a caller of ours is given the secret, for the refusal
  bool enforce = true;               // false: strangers are reported, and admitted
  double calls_per_second_max = 0;   // of all callers together; 0: no bound
  std::function<void()> refused = nullptr;  // called for each one, on gRPC's threads; null: nobody asks
};

class CallGuard {
 public:
  static constexpr Duration kReportPeriod = Seconds(10);
  // So many seconds' worth of calls may come at once.
  static constexpr double kBurst_s = 4;
  using Report = std::function<void(const std::string&)>;

  // `others`: whatever gets no rule of its own. `report`: called with a sentence for the log, on gRPC's
  // threads.
  CallGuard(CallRule others, Report report);
  // `service`: its full name, for example "ringway.v1.Worker". Before the server starts.
  void Set(const std::string& service, CallRule rule) { rules_[service] = Sound(std::move(rule)); }

  // `path`: of the call, "/ringway.v1.Worker/Run". `authorization`: the header; nothing: there is none.
  // Reports what it refuses. Errors: UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED.
  grpc::Status Admit(std::string_view path, std::optional<std::string_view> authorization) const;

 private:
  // What a rule has left of its calls a second.
  struct Rate {
    double calls = 0;
    Time counted_at = InfinitePast();
  };
  bool WithinRate(const CallRule& rule) const;
  static CallRule Sound(CallRule rule);
  const CallRule& RuleFor(std::string_view path) const;
  void Note(std::string_view path, const CallRule& rule, const grpc::Status& refusal) const;

  CallRule others_;
  std::map<std::string, CallRule, std::less<>> rules_;
  const Report report_;
  mutable std::mutex rates_mutex_;
  mutable std::map<const CallRule*, Rate> rates_;  // of rules with a bound
  mutable std::atomic<std::uint64_t> refused_{0};  // since the last report
  mutable std::atomic<std::int64_t> quiet_until_ns_{0};
};

// Credentials for a listening port without encryption on which `guard` looks at every call.
std::shared_ptr<grpc::ServerCredentials> GuardedCredentials(std::shared_ptr<const CallGuard> guard);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_CALL_GUARD_H_
