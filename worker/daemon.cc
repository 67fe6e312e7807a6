#include "worker/daemon.h"

#include <atomic>
#include <future>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/bearer_token.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "runtime/http_server.h"
#include "runtime/metrics_page.h"
#include "runtime/port_file.h"
#include "runtime/self_check.h"
#include "runtime/signals.h"
#include "worker/agent.h"
#include "worker/service.h"
#include "worker/worker_metrics.h"

namespace ringway::worker {
namespace {

// For calls that nobody ends: whoever still watches is cut off then.
constexpr Duration kCloseGrace = Milliseconds(500);

absl::Status Announce(const Settings& settings, const std::string& grpc, const std::string& http) {
  const Identity& who = settings.agent.identity;
  std::cout << "ringway-worker " << who.name << " serves tier " << who.tier << " in " << who.region
            << ", backend " << who.backend << ": grpc " << grpc << ", http " << http << std::endl;
  if (settings.port_file.empty()) return absl::OkStatus();
  return runtime::WritePortFile(settings.port_file, {{"grpc", grpc}, {"http", http}});
}

}  // namespace

absl::Status RunWorker(Settings settings) {
  const runtime::Logger log(absl::StrCat("worker/", settings.agent.identity.name), settings.log_level);
  runtime::EventLoop loop("worker");
  auto backend = MakeBackend(settings, loop);
  if (!backend.ok()) return backend.status();

  settings.agent.identity.pictures = (*backend)->pictures();

  std::promise<void> stop;
  runtime::Signals signals(loop, [&stop] { stop.set_value(); });

  std::atomic<bool> ready{false}, answers{true};
  WorkerMetrics metrics(settings.agent.identity);
  auto pages = runtime::HttpServer::Start(
      settings.http, {{"/metrics", metrics.Page(&runtime::MonotonicNow)},
                      {"/healthz", runtime::HealthPage()},
                      {"/readyz", runtime::ReadyPage([&] { return ready && answers; })}});
  if (!pages.ok()) return pages.status();
  settings.agent.identity.metrics_address = (*pages)->address();

  std::atomic<runtime::GrpcServer*> health{nullptr};
  Agent agent(loop, settings.agent, *std::move(backend), metrics, log, [&](bool serving) {
    ready = serving;
    if (runtime::GrpcServer* server = health.load()) server->SetServing(serving);
    log.Info(serving ? "admits jobs" : "admits no jobs");
  });
  WorkerService service(loop, agent);
  auto server = runtime::GrpcServer::Start(
      settings.listen, {&service},
      std::make_shared<runtime::CallGuard>(runtime::CallRule{.secrets = {settings.fleet_token},
                                                             .flag = runtime::kFleetTokenFlag,
                                                             .enforce = !settings.fleet_token_optional},
                                           [log](const std::string& refused) { log.Warning(refused); }));
  if (!server.ok()) return server.status();
  health = &*server;
  ready = true;
  loop.Start();
  absl::Status announced = Announce(settings, server->address(), (*pages)->address());

  if (announced.ok()) {
    const runtime::SelfCheck self_check(server->address(), log, answers);
    stop.get_future().wait();
    log.Info("stops: finishes the job in flight, admits no other");
    std::promise<void> quiet;
    const bool asked = loop.Post([&] { agent.BeginStop([&quiet] { quiet.set_value(); }); });
    if (asked) quiet.get_future().wait();
  }
  server->Shutdown(kCloseGrace);
  loop.Stop();
  return announced;
}

}  // namespace ringway::worker
