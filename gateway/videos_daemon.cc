#include "gateway/videos_daemon.h"

#include <sys/resource.h>

#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/table_codec.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::gateway {
namespace {

constexpr Duration kStreamsGrace = Seconds(2);
// What a router needs beside its clients: workers, routers, files.
constexpr rlim_t kDescriptorsElsewhere = 2048;

// Each client is a file descriptor; the soft limit of most systems is 1024.
void AllowConnections(std::size_t connections_max, const runtime::Logger& log) {
  runtime::RaiseDescriptorLimit();
  rlimit limit{};
  const rlim_t wanted = connections_max + kDescriptorsElsewhere;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
    log.Warning(absl::StrCat("videos: this process may open ", limit.rlim_cur,
                             " files, which is not enough for ", connections_max,
                             " connections (LimitNOFILE, ulimit -n)"));
  }
}

}  // namespace

grpc::ServerUnaryReactor* VideosService::Where(grpc::CallbackServerContext* context, const v1::VideosWhere*,
                                               v1::VideosPlace* place) {
  place->set_wire_version(wire::kWireVersion);
  place->set_address(address_);
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

VideosDaemon::VideosDaemon(const VideosSettings& settings, prometheus::Registry& registry,
                           const runtime::Logger& log)
    : settings_(settings), loop_("videos"), metrics_(registry), front_(loop_, settings_, metrics_, log) {
  AllowConnections(settings_.connections_max, log);
}

VideosDaemon::~VideosDaemon() { Stop(); }

absl::Status VideosDaemon::Open(VideosService& place) {
  const absl::Status opened = front_.Open();
  if (opened.ok()) place.Serve(settings_.advertise.empty() ? front_.address() : settings_.advertise);
  return opened;
}

void VideosDaemon::Start(const std::string& ingress) {
  started_ = true;
  loop_.Start();
  (void)loop_.Post([this, ingress] { front_.Start(v1::Ingress::NewStub(runtime::MakeChannel(ingress))); });
}

void VideosDaemon::Use(const FleetSummary& summary) {
  (void)loop_.Post([this, summary] { front_.Use(summary); });
}

void VideosDaemon::Drain() {
  (void)loop_.Post([this] { front_.Drain(); });
}

void VideosDaemon::Stop() {
  std::promise<void> closed;
  const auto close = [&] {
    front_.Close();
    closed.set_value();
  };
  if (std::exchange(started_, false) && loop_.Post(close)) {
    closed.get_future().wait();
    const Time until = runtime::MonotonicNow() + kStreamsGrace;
    while (front_.jobs().streams() > 0 && runtime::MonotonicNow() < until) absl::SleepFor(Milliseconds(5));
  }
  loop_.Stop();
}

}  // namespace ringway::gateway
