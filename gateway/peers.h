// The other routers, as far as the videos API goes: who they are, where they answer it, and connections to
// them.
//
// Names and gRPC addresses come with the directory; where a router serves the API, it is asked itself
// (Videos.Where), once, and again when that address does not answer: a restarted router may have another
// one. A router that left the directory is not forgotten, because its jobs may come back with it.
//
// Bounds: kPeersMax routers, kIdleMax kept connections to each. Threads: the front's loop; answers of gRPC
// are posted to it.
#ifndef RINGWAY_GATEWAY_PEERS_H_
#define RINGWAY_GATEWAY_PEERS_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/fleet_summary.h"
#include "ringway/v1/videos.grpc.pb.h"
#include "runtime/event_loop.h"
#include "runtime/http/origin_connection.h"

namespace ringway::gateway {

class Peers {
 public:
  static constexpr std::size_t kPeersMax = 65536;
  static constexpr std::size_t kIdleMax = 32;
  using Endpoint = boost::asio::ip::tcp::endpoint;
  // Called on the loop, later.
  using Found = std::function<void(const absl::StatusOr<Endpoint>&)>;

  // `token`: presented to the others; empty: none.
  Peers(runtime::EventLoop& loop, std::string token)
      : loop_(loop), token_(std::move(token)), resolver_(loop.context()) {}
  ~Peers();

  void Use(const FleetSummary& summary);
  bool Knows(const std::string& router) const { return peers_.contains(router); }
  // It is in the newest directory.
  bool Lists(const std::string& router) const {
    const auto found = peers_.find(router);
    return found != peers_.end() && found->second.listed;
  }
  // Names of routers of the region in the newest directory.
  std::vector<std::string> Of(const std::string& region) const;
  // Of every region; those of `first` come first.
  std::vector<std::string> All(const std::string& first) const;

  // Errors: NotFound (never heard of), Unavailable (does not answer), FailedPrecondition (does not serve the
  // API).
  void Find(const std::string& router, Found found);
  // What Find has said does not answer.
  void Doubt(const std::string& router);
  // A connection that is free, or a new one.
  std::shared_ptr<http::OriginConnection> Connection(const std::string& router, const Endpoint& endpoint);
  // After its exchange; kept if it can be used again.
  void Return(const std::string& router, const std::shared_ptr<http::OriginConnection>& connection);
  // Every quarter of a second: closes what has been idle for long.
  void OnTick();

 private:
  struct Peer {
    std::string region;
    std::string address;
    bool listed = false;
    std::unique_ptr<v1::Videos::Stub> stub;
    std::optional<Endpoint> endpoint;
    std::vector<Found> asking;  // answers to come
    std::vector<std::shared_ptr<http::OriginConnection>> idle;
  };
  struct Ask;
  void OnPlace(const std::string& router, const grpc::Status& status, const std::string& address);
  void Answer(const std::string& router, const absl::StatusOr<Endpoint>& endpoint);

  runtime::EventLoop& loop_;
  const std::string token_;
  boost::asio::ip::tcp::resolver resolver_;
  std::map<std::string, Peer> peers_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_PEERS_H_
