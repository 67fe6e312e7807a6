// The videos API of a router as one part: a thread with a loop, the front on it, and the gRPC service by
// which other routers find it.
//
// A thread of its own, because writing results waits for the disk and thousands of open streams take time:
// neither may hold up the loop that dispatches jobs. Towards the router it is a client of its ingress.
//
// Order: Open (before gRPC serves), Start (when it does), Drain, Stop. Threads: the router's main thread; Use
// from any; the service's on gRPC's.
#ifndef RINGWAY_GATEWAY_VIDEOS_DAEMON_H_
#define RINGWAY_GATEWAY_VIDEOS_DAEMON_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gateway/fleet_summary.h"
#include "gateway/front.h"
#include "gateway/settings.h"
#include "gateway/videos_metrics.h"
#include "ringway/v1/videos.grpc.pb.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::gateway {

// Says where the API is; an address that is not set means that it is not served.
class VideosService final : public v1::Videos::CallbackService {
 public:
  // Before the server starts.
  void Serve(const std::string& address) { address_ = address; }
  grpc::ServerUnaryReactor* Where(grpc::CallbackServerContext* context, const v1::VideosWhere* where,
                                  v1::VideosPlace* place) override;

 private:
  std::string address_;
};

class VideosDaemon {
 public:
  VideosDaemon(const VideosSettings& settings, prometheus::Registry& registry, const runtime::Logger& log);
  ~VideosDaemon();

  // Errors: what is wrong with the folder or the address. `place` will say where it is.
  absl::Status Open(VideosService& place);
  // host:port that it listens on.
  const std::string& address() const { return front_.address(); }
  // `ingress`: host:port of this router's gRPC.
  void Start(const std::string& ingress);
  void Use(const FleetSummary& summary);
  // Takes no new jobs.
  void Drain();
  void Stop();

 private:
  const VideosSettings settings_;
  runtime::EventLoop loop_;
  VideosMetrics metrics_;
  Front front_;
  bool started_ = false;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_VIDEOS_DAEMON_H_
