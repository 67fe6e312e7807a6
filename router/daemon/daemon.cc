#include "router/daemon/daemon.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/videos_daemon.h"
#include "router/daemon/operations/operations_service.h"
#include "router/daemon/router_agent.h"
#include "router/daemon/service.h"
#include "router/fleet_merge.h"
#include "runtime/bearer_token.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "runtime/http_server.h"
#include "runtime/metrics_page.h"
#include "runtime/port_file.h"
#include "runtime/self_check.h"
#include "runtime/signals.h"

namespace ringway::router {
namespace {

// For calls that nobody ends.
constexpr Duration kCloseGrace = Milliseconds(500);
constexpr Duration kStreamsGrace = Seconds(2);
// Beyond the jobs: calls that are closing, or too many and about to be told so.
constexpr int kStreamsBeyondJobs = 256;
// Streams of routers that ask for slots here: each router of the region, for each tier.
constexpr int kClientsMax = 8192;
// Of clients. Jobs take a GPU for a good part of a second; a router is never asked for nearly as many.
constexpr double kIngressPerSecondMax = 4000;
// What one call can have under way in the loop's inbox, on both sides of the router.
constexpr std::size_t kTasksPerCall = 12;

// Name and address of each door, in the order of the announcement; an empty address is no door.
using Doors = std::vector<std::pair<std::string, std::string>>;

absl::Status Announce(const Settings& settings, Doors doors) {
  std::erase_if(doors, [](const auto& door) { return door.second.empty(); });
  std::cout << "ringway-router " << settings.name << " in " << settings.region;
  const char* before = ": ";
  for (const auto& [name, address] : doors)
    std::cout << std::exchange(before, ", ") << name << " " << address;
  std::cout << std::endl;
  if (settings.port_file.empty()) return absl::OkStatus();
  return runtime::WritePortFile(settings.port_file, {doors.begin(), doors.end()});
}

// Nothing: the videos API is not served.
std::unique_ptr<gateway::VideosDaemon> MakeVideos(const Settings& settings, RouterAgent& agent,
                                                  const runtime::Logger& log) {
  if (settings.videos.listen.empty()) return nullptr;
  auto made = std::make_unique<gateway::VideosDaemon>(settings.videos, agent.metrics().page(), log);
  agent.ShowFleetTo([front = made.get()](const gateway::FleetSummary& summary) { front->Use(summary); });
  return made;
}

// SIGHUP: the pool's file names other workers. A file that cannot be used changes nothing.
void ReadPoolAgain(const Settings& settings, RouterAgent& agent, const runtime::Logger& log) {
  if (!settings.read_pool) return;
  const auto pool = settings.read_pool();
  if (pool.ok()) {
    agent.UsePoolWorkers(pool->workers);
  } else {
    log.Error(absl::StrCat("the pool stays as it was: ", pool.status().message()));
  }
}

absl::Status CheckRegion(const Settings& settings, const Fleet& fleet) {
  if (fleet.world.FindRegion(settings.region)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--region is '", settings.region, "', which ", settings.topology, " does not have"));
}

// A folder that cannot be made is told at the start, not in the hour when the table is needed.
absl::Status MakeStateFolder(const std::string& path) {
  std::error_code failed;
  if (!path.empty()) std::filesystem::create_directories(path, failed);
  if (!failed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--state-dir is '", path, "', which cannot be made: ", failed.message()));
}

// Clients of the ingress have no token; everything else on the port is between programs of the fleet.
std::shared_ptr<const runtime::CallGuard> GuardOf(const Settings& settings, const runtime::Logger& log) {
  const auto guard =
      std::make_shared<runtime::CallGuard>(runtime::CallRule{.secrets = {settings.fleet_token},
                                                             .flag = runtime::kFleetTokenFlag,
                                                             .enforce = !settings.fleet_token_optional},
                                           [log](const std::string& refused) { log.Warning(refused); });
  guard->Set(v1::Ingress::service_full_name(), {.secrets = {}, .calls_per_second_max = kIngressPerSecondMax});
  return guard;
}

// Runs on the loop and waits for it. False: the loop has stopped.
template <class Task>
bool OnLoop(runtime::EventLoop& loop, Task task) {
  std::promise<void> done;
  if (!loop.Post([&] {
        task();
        done.set_value();
      })) {
    return false;
  }
  done.get_future().wait();
  return true;
}

// The jobs that are here end, or the grace does.
void AwaitQuiet(runtime::EventLoop& loop, RouterAgent& agent) {
  std::promise<void> quiet;
  if (loop.Post([&] { agent.BeginStop([&quiet] { quiet.set_value(); }); })) quiet.get_future().wait();
}

void WaitForStreams(const RouterAgent& agent) {
  const Time until = runtime::MonotonicNow() + kStreamsGrace;
  while (agent.streams() > 0 && runtime::MonotonicNow() < until) absl::SleepFor(Milliseconds(5));
}

}  // namespace

absl::Status RunRouter(const Settings& settings, const std::optional<Fleet>& topology) {
  const runtime::Logger log(absl::StrCat("router/", settings.name), settings.log_level);
  const Fleet fleet = topology ? *topology : LonelyFleet(settings.region);
  if (absl::Status region = CheckRegion(settings, fleet); !region.ok()) return region;
  if (absl::Status folder = MakeStateFolder(settings.state_dir); !folder.ok()) return folder;
  const int streams_max = static_cast<int>(settings.calls.jobs_max) + kStreamsBeyondJobs;
  runtime::EventLoop loop(
      "router", static_cast<std::size_t>(streams_max) * kTasksPerCall + OnceLink::kCallsMax * 4 + 4096);
  std::promise<void> stop;
  RouterAgent* reloads = nullptr;  // set on the loop
  runtime::Signals signals(
      loop, [&stop] { stop.set_value(); },
      [&] {
        if (reloads != nullptr) ReadPoolAgain(settings, *reloads, log);
      });

  RouterAgent agent(loop, settings, fleet, !topology, log);
  std::atomic<bool> ready{false}, answers{true};
  auto pages = runtime::HttpServer::Start(
      settings.http, {{"/metrics", runtime::MetricsPage(agent.metrics().registry())},
                      {"/healthz", runtime::HealthPage()},
                      {"/readyz", runtime::ReadyPage([&] { return ready && answers; })}});
  if (!pages.ok()) return pages.status();
  IngressService ingress(loop, agent.calls(), streams_max);
  PeerService peer(loop, agent.calls(), streams_max);
  const auto guard = GuardOf(settings, log);
  LedgerService ledger(loop, agent.sessions(), kClientsMax, guard);
  OnceService once(agent.once());
  TraceService traces(loop, agent.calls().traces());
  OperationsService operations(loop, agent.operations());
  gateway::VideosService video_place;
  const auto videos = MakeVideos(settings, agent, log);
  if (absl::Status opened = videos ? videos->Open(video_place) : absl::OkStatus(); !opened.ok())
    return opened;
  auto server = runtime::GrpcServer::Start(
      settings.listen, {&ingress, &peer, &ledger, &once, &traces, &operations, &video_place}, guard,
      ledger.Frames());
  if (!server.ok()) return server.status();
  loop.Start();
  if (videos) videos->Start(server->address());
  absl::StatusOr<std::string> clients;
  OnLoop(loop, [&] {
    agent.Start(server->address());
    clients = agent.ListenForClients();
    reloads = &agent;
  });
  ready = clients.ok();
  absl::Status announced = clients.status();
  if (clients.ok()) {
    announced = Announce(settings, {{"grpc", server->address()},
                                    {"http", (*pages)->address()},
                                    {"clients", *clients},
                                    {"videos", videos ? videos->address() : ""}});
  }
  if (announced.ok()) {
    const runtime::SelfCheck self_check(server->address(), log, answers);
    stop.get_future().wait();
    log.Info("stops: finishes the jobs that are here, admits no other");
    ready = false;
    server->SetServing(false);
    if (videos) videos->Drain();
    AwaitQuiet(loop, agent);
  }
  if (videos) videos->Stop();
  OnLoop(loop, [&] { agent.Disconnect(); });
  server->Shutdown(kCloseGrace);
  WaitForStreams(agent);
  loop.Stop();
  return announced;
}

}  // namespace ringway::router
