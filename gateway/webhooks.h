// Completion webhooks: tells the address that a job named how the job has ended.
//
// A POST of one JSON event, with the fields of the Standard Webhooks (webhook-id, webhook-timestamp, and
// webhook-signature where there is a key). 2xx
// means delivered; anything else is tried again, kAttemptsMax times in all, after 1, 2, 4, ... seconds. An
// event may come twice (a lost answer, a restart): webhook-id is the same then. What is owed is in the job's
// record, so a restarted router goes on.
//
// Bounds: kAtOnce calls under way, one event for each job of the table. Threads: the front's loop.
#ifndef RINGWAY_GATEWAY_WEBHOOKS_H_
#define RINGWAY_GATEWAY_WEBHOOKS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/time.h"
#include "runtime/event_loop.h"

namespace ringway::gateway {

class Webhooks {
 public:
  static constexpr int kAttemptsMax = 6;
  static constexpr std::size_t kAtOnce = 64;
  static constexpr Duration kAttemptLimit = Seconds(10);
  using Settled = std::function<void(const std::string& id, bool delivered)>;

  // `hosts`: host:port that may be called. `key`: to sign with; empty: unsigned.
  Webhooks(runtime::EventLoop& loop, const std::vector<std::string>& hosts, const std::string& key,
           Settled settled);
  ~Webhooks();

  // Errors: InvalidArgument, in words for the client.
  absl::Status Allows(const std::string& url) const;
  void Call(const std::string& id, const std::string& url, const std::string& json);
  // Every quarter of a second.
  void OnTick(Time now);
  // Ends the calls that are under way; they are owed still.
  void Close();

 private:
  struct Delivery;
  void Begin(Delivery& delivery, Time now);

  runtime::EventLoop& loop_;
  const std::vector<std::string> hosts_;
  const std::string key_;
  const Settled settled_;
  std::map<std::string, std::unique_ptr<Delivery>> deliveries_;  // by job
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_WEBHOOKS_H_
