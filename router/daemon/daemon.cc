#include "router/daemon/daemon.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/daemon/router_agent.h"
#include "router/daemon/service.h"
#include "router/fleet_merge.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "runtime/http_server.h"
#include "runtime/metrics_page.h"
#include "runtime/port_file.h"
#include "runtime/signals.h"

namespace ringway::router {
namespace {

// For calls that nobody ends.
constexpr absl::Duration kCloseGrace = absl::Milliseconds(500);
constexpr absl::Duration kStreamsGrace = absl::Seconds(2);
// Beyond the jobs: calls that are closing, or too many and about to be told so.
constexpr int kStreamsBeyondJobs = 256;
// Streams of routers that ask for slots here: each router of the region, for each tier.
constexpr int kStandingMax = 8192;
// What one call can have under way in the loop's inbox, on both sides of the router.
constexpr std::size_t kTasksPerCall = 12;

absl::Status Announce(const Settings& settings, const std::string& grpc, const std::string& http,
                      const std::string& clients) {
  std::cout << "ringway-router " << settings.name << " in " << settings.region << ": grpc " << grpc
            << ", http " << http;
  if (!clients.empty()) std::cout << ", clients " << clients;
  std::cout << std::endl;
  if (settings.port_file.empty()) return absl::OkStatus();
  std::vector<std::pair<std::string, std::string>> ports = {{"grpc", grpc}, {"http", http}};
  if (!clients.empty()) ports.push_back({"clients", clients});
  return runtime::WritePortFile(settings.port_file, {ports.begin(), ports.end()});
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

// A folder that cannot be made is told at the start, not in the hour when the table is needed.
absl::Status MakeStateFolder(const std::string& path) {
  std::error_code failed;
  if (!path.empty()) std::filesystem::create_directories(path, failed);
  if (!failed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--state-dir is '", path, "', which cannot be made: ", failed.message()));
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

void WaitForStreams(const RouterAgent& agent) {
  const absl::Time until = runtime::MonotonicNow() + kStreamsGrace;
  while (agent.streams() > 0 && runtime::MonotonicNow() < until) absl::SleepFor(absl::Milliseconds(5));
}

}  // namespace

absl::Status RunRouter(const Settings& settings, const std::optional<Fleet>& topology) {
  const runtime::Logger log(absl::StrCat("router/", settings.name), settings.log_level);
  const Fleet fleet = topology ? *topology : LonelyFleet(settings.region);
  if (!fleet.world.FindRegion(settings.region)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--region is '", settings.region, "', which ", settings.topology, " does not have"));
  }
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
  std::atomic<bool> ready{false};
  auto pages = runtime::HttpServer::Start(
      settings.http, {{"/metrics", runtime::MetricsPage(agent.metrics().registry())},
                      {"/healthz", runtime::HealthPage()},
                      {"/readyz", runtime::ReadyPage([&ready] { return ready.load(); })}});
  if (!pages.ok()) return pages.status();
  IngressService ingress(loop, agent.calls(), streams_max);
  PeerService peer(loop, agent.calls(), streams_max);
  LedgerService ledger(loop, agent.hall(), kStandingMax);
  OnceService once(agent.once());
  StoryService stories(loop, agent.calls().stories());
  auto server = runtime::GrpcServer::Start(settings.listen, {&ingress, &peer, &ledger, &once, &stories});
  if (!server.ok()) return server.status();
  loop.Start();
  absl::StatusOr<std::string> clients;
  OnLoop(loop, [&] {
    agent.Start(server->address());
    clients = agent.ListenForClients();
    reloads = &agent;
  });
  ready = clients.ok();
  absl::Status announced =
      clients.ok() ? Announce(settings, server->address(), (*pages)->address(), *clients) : clients.status();

  if (announced.ok()) {
    stop.get_future().wait();
    log.Info("stops: finishes the jobs that are here, admits no other");
    ready = false;
    server->SetServing(false);
    std::promise<void> quiet;
    if (loop.Post([&] { agent.BeginStop([&quiet] { quiet.set_value(); }); })) quiet.get_future().wait();
  }
  OnLoop(loop, [&] { agent.Disconnect(); });
  server->Shutdown(kCloseGrace);
  WaitForStreams(agent);
  loop.Stop();
  return announced;
}

}  // namespace ringway::router
