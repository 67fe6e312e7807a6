#include "gateway/peers.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/table_codec.h"
#include "runtime/address.h"
#include "runtime/grpc_server.h"

namespace ringway::gateway {
namespace {

constexpr std::chrono::milliseconds kAskLimit(1000);
constexpr std::size_t kPeerHeaderBytesMax = 16 << 10;
// In ticks of a quarter of a second.
constexpr std::uint32_t kPeerConnectTicks = 4, kPeerIdleTicks = 80, kPeerStallTicks = 120;

}  // namespace

// One question under way; owned by gRPC's callback.
struct Peers::Ask {
  grpc::ClientContext context;
  v1::VideosWhere where;
  v1::VideosPlace place;
};

Peers::~Peers() { *alive_ = false; }

void Peers::Use(const FleetSummary& summary) {
  for (auto& [name, peer] : peers_) peer.listed = false;
  for (const FleetSummary::Peer& listed : summary.peers) {
    if (peers_.size() >= kPeersMax && !peers_.contains(listed.name)) continue;
    Peer& peer = peers_[listed.name];
    peer.listed = true;
    peer.region = listed.region;
    if (std::exchange(peer.address, listed.address) == listed.address) continue;
    peer.stub = v1::Videos::NewStub(runtime::MakeChannel(peer.address, runtime::kMessageBytesMax, token_));
    peer.endpoint.reset();
  }
}

std::vector<std::string> Peers::Of(const std::string& region) const {
  std::vector<std::string> names;
  for (const auto& [name, peer] : peers_) {
    if (peer.listed && peer.region == region) names.push_back(name);
  }
  return names;
}

std::vector<std::string> Peers::All(const std::string& first) const {
  std::vector<std::string> names = Of(first);
  for (const auto& [name, peer] : peers_) {
    if (peer.listed && peer.region != first) names.push_back(name);
  }
  return names;
}

void Peers::Find(const std::string& router, Found found) {
  const auto known = peers_.find(router);
  if (known == peers_.end()) {
    return boost::asio::post(loop_.context(), [found, router] {
      found(absl::NotFoundError(absl::StrCat("no router ", router, " is known here")));
    });
  }
  Peer& peer = known->second;
  if (peer.endpoint) {
    return boost::asio::post(loop_.context(), [found, endpoint = *peer.endpoint] { found(endpoint); });
  }
  peer.asking.push_back(std::move(found));
  if (peer.asking.size() > 1) return;  // asked already
  auto ask = std::make_shared<Ask>();
  ask->where.set_wire_version(wire::kWireVersion);
  ask->context.set_deadline(std::chrono::system_clock::now() + kAskLimit);
  peer.stub->async()->Where(&ask->context, &ask->where, &ask->place,
                            [this, ask, router, alive = alive_](const grpc::Status& status) {
                              (void)loop_.Post([this, ask, router, status, alive] {
                                if (*alive) OnPlace(router, status, ask->place.address());
                              });
                            });
}

void Peers::OnPlace(const std::string& router, const grpc::Status& status, const std::string& address) {
  if (!status.ok()) {
    return Answer(router, absl::UnavailableError(
                              absl::StrCat("router ", router, " does not answer: ", status.error_message())));
  }
  const auto parsed = runtime::ParseAddress(address);
  if (!parsed.ok()) {
    return Answer(router, absl::FailedPreconditionError(
                              absl::StrCat("router ", router, " does not serve the videos API")));
  }
  resolver_.async_resolve(
      parsed->host, absl::StrCat(parsed->port),
      [this, router, alive = alive_](const boost::system::error_code& failed, const auto& hosts) {
        if (!*alive) return;
        if (failed || hosts.empty()) {
          return Answer(router,
                        absl::UnavailableError(absl::StrCat("the address of router ", router,
                                                            " cannot be resolved: ", failed.message())));
        }
        Answer(router, hosts.begin()->endpoint());
      });
}

void Peers::Answer(const std::string& router, const absl::StatusOr<Endpoint>& endpoint) {
  Peer& peer = peers_[router];
  if (endpoint.ok()) peer.endpoint = *endpoint;
  for (const Found& found : std::exchange(peer.asking, {})) found(endpoint);
}

void Peers::Doubt(const std::string& router) {
  const auto known = peers_.find(router);
  if (known == peers_.end()) return;
  known->second.endpoint.reset();
  known->second.idle.clear();
}

std::shared_ptr<http::OriginConnection> Peers::Connection(const std::string& router,
                                                          const Endpoint& endpoint) {
  auto& idle = peers_[router].idle;
  while (!idle.empty()) {
    const auto connection = std::move(idle.back());
    idle.pop_back();
    if (connection->ready()) return connection;
  }
  return std::make_shared<http::OriginConnection>(loop_.context(), endpoint, kPeerHeaderBytesMax);
}

void Peers::Return(const std::string& router, const std::shared_ptr<http::OriginConnection>& connection) {
  auto& idle = peers_[router].idle;
  if (!connection->ready()) return;
  if (idle.size() < kIdleMax) {
    idle.push_back(connection);
  } else {
    connection->Abandon();
  }
}

void Peers::OnTick() {
  for (auto& [name, peer] : peers_) {
    for (const auto& connection : peer.idle)
      connection->OnTick(kPeerConnectTicks, kPeerIdleTicks, kPeerStallTicks);
    std::erase_if(peer.idle, [](const auto& connection) { return !connection->ready(); });
  }
}

}  // namespace ringway::gateway
