#include "router/http/pool_workers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;

NamedWorker Named(const Tcp::endpoint& endpoint) {
  const runtime::Address address{endpoint.address().to_string(), endpoint.port()};
  return {address.ToString(), endpoint};
}

}  // namespace

PoolWorkers::PoolWorkers(runtime::EventLoop& loop, const runtime::Logger& log, Changed changed)
    : log_(log),
      changed_(std::move(changed)),
      resolver_(loop.context()),
      again_(loop, [this] { Resolve(); }) {}

PoolWorkers::~PoolWorkers() { *alive_ = false; }

void PoolWorkers::Set(const std::vector<std::string>& workers) {
  listed_ = workers;
  std::erase_if(known_, [&](const auto& entry) {
    return std::find(workers.begin(), workers.end(), entry.first) == workers.end();
  });
  Resolve();
}

void PoolWorkers::Resolve() {
  const std::uint64_t round = ++round_;
  resolver_.cancel();
  pending_ = 0;
  bool names = false;
  for (const std::string& listed : listed_) {
    const auto address = runtime::ParseAddress(listed);
    if (!address.ok()) continue;
    ErrorCode failed;
    const std::string& host = address->host == "localhost" ? "127.0.0.1" : address->host;
    const auto ip = asio::ip::make_address(host, failed);
    if (!failed) {
      known_[listed] = {Named(Tcp::endpoint(ip, address->port))};
      continue;
    }
    names = true;
    ++pending_;
    resolver_.async_resolve(
        host, std::to_string(address->port), Tcp::resolver::numeric_service,
        [this, alive = alive_, round, listed](const ErrorCode& error, Tcp::resolver::results_type results) {
          if (!*alive || round != round_) return;
          if (error) {
            log_.Warning(absl::StrCat("worker ", listed, " cannot be resolved: ", error.message(),
                                      known_.contains(listed) ? "; keeps the addresses it had" : ""));
          } else {
            std::vector<NamedWorker> found;
            for (const auto& result : results) {
              if (found.size() < kAddressesMax) found.push_back(Named(result.endpoint()));
            }
            known_[listed] = std::move(found);
          }
          if (--pending_ == 0) Publish();
        });
  }
  if (names) again_.Arm(runtime::MonotonicNow() + kAgain);
  // Addresses need not wait for names.
  if (pending_ == 0 || published_.empty()) Publish();
}

void PoolWorkers::Publish() {
  std::vector<NamedWorker> all;
  for (const auto& [listed, workers] : known_) {
    for (const NamedWorker& worker : workers) {
      if (std::find(all.begin(), all.end(), worker) == all.end()) all.push_back(worker);
    }
  }
  if (all == published_) return;
  published_ = all;
  changed_(published_);
}

}  // namespace ringway::router
