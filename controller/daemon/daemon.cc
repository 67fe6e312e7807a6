#include "controller/daemon/daemon.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <iostream>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/daemon/admin_service.h"
#include "controller/daemon/build.h"
#include "controller/daemon/control_loop.h"
#include "controller/daemon/control_service.h"
#include "controller/daemon/dashboard.h"
#include "controller/daemon/history_calls.h"
#include "controller/daemon/scaler_service.h"
#include "controller/daemon/state_folder.h"
#include "controller/daemon/web_front.h"
#include "controller/orders/commands.h"
#include "proto/fleet_codec.h"
#include "runtime/address.h"
#include "runtime/bearer_token.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "runtime/http/listener.h"
#include "runtime/metrics_page.h"
#include "runtime/port_file.h"
#include "runtime/self_check.h"
#include "runtime/signals.h"
#include "topology/topology.h"

namespace ringway::controller {
namespace {

constexpr Duration kCloseGrace = Milliseconds(500);
constexpr std::size_t kWebConnectionsMax = 256;
// Of all autoscalers together: a thousand of them that ask every five seconds.
constexpr double kScalerCallsPerSecond = 200;

absl::StatusOr<TopologyLoaded> ReadTopology(const std::string& path) {
  auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  auto topology = ParseTopology(*text, path);
  if (!topology.ok()) return topology.status();
  const std::size_t bytes = wire::EncodeFleet(*topology->fleet).ByteSizeLong();
  if (bytes > static_cast<std::size_t>(runtime::kFleetBytesMax)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the map of this world takes ", bytes, " bytes on the wire, routers take ",
        runtime::kFleetBytesMax, "; use fewer regions (the matrix of RTTs grows with their square)"));
  }
  return TopologyLoaded{topology->fleet, *std::move(text)};
}

// A damaged state must not keep a controller down: the routers know the epoch. But it is never overwritten.
DurableState LoadState(const StateStore& replica, const runtime::Logger& log) {
  auto state = replica.Load();
  if (state.ok()) return *std::move(state);
  const std::string aside = absl::StrCat(replica.path(), ".unreadable-", ToUnixSeconds(runtime::WallNow()));
  std::error_code error;
  std::filesystem::rename(replica.path(), aside, error);
  log.Error(absl::StrCat("starting without the saved state, drains and pins are lost: ",
                         state.status().message(), "; the file is kept as ", aside));
  return DurableState{};
}

WebAccess AccessOf(const DaemonSettings& settings) {
  const auto listen = runtime::ParseAddress(settings.http);
  return {.loopback = listen.ok() && runtime::IsLoopback(*listen),
          .writes = settings.dashboard_writes,
          .token = settings.token,
          .hosts = settings.dashboard_hosts};
}

// Routers and operators have tokens of their own; reflection takes either.
std::shared_ptr<const runtime::CallGuard> GuardOf(const DaemonSettings& settings, ControllerMetrics& metrics,
                                                  const runtime::Logger& log) {
  std::vector<std::string> any = settings.RouterTokens();
  any.push_back(settings.token);
  const auto guard = std::make_shared<runtime::CallGuard>(
      runtime::CallRule{.secrets = std::move(any), .flag = "--token-file"},
      [log](const std::string& refused) { log.Warning(refused); });
  guard->Set(v1::Admin::service_full_name(), {.secrets = {settings.token},
                                              .flag = "--token-file or RINGWAY_TOKEN",
                                              .refused = [&metrics] { metrics.AdminCalled("refused"); }});
  guard->Set(externalscaler::ExternalScaler::service_full_name(),
             {.secrets = {settings.token}, .flag = "--token-file or RINGWAY_TOKEN"});
  guard->Set(v1::Control::service_full_name(),
             {.secrets = settings.RouterTokens(),
              .flag = absl::StrCat(runtime::kFleetTokenFlag, " or --token-file of the router"),
              .enforce = !settings.fleet_token_optional});
  return guard;
}

std::vector<PrometheusQuery> QueriesOf(const Fleet& fleet) {
  std::vector<PrometheusQuery> queries;
  for (const Tier& tier : fleet.tiers) {
    for (const MetricSpec& metric : tier.metrics) {
      if (!metric.promql.empty()) queries.push_back({tier.name, metric.name, metric.promql});
    }
  }
  return queries;
}

}  // namespace

struct ControllerDaemon::Parts {
  Parts(DaemonSettings s, StateFolder f, AuditLog a, TopologyLoaded topology)
      : settings(std::move(s)),
        log(absl::StrCat("controller/", settings.controller.name), settings.log_level),
        folder(std::move(f)),
        audit(std::move(a)),
        state(folder.path(), log, [this](bool good) { metrics.StateSaved(good); }),
        journal(folder.File("journal"), settings.journal, topology.text, log),
        history(folder.File("history"), settings.history, log,
                [this](bool good) { metrics.HistoryWritten(good); }),
        loop("controller"),
        control(
            loop,
            ControllerMachine(settings.controller, topology.fleet, LoadState(state, log),
                              runtime::MonotonicNow()),
            {state, audit, journal, history, metrics, log, [this] { routers.StreamClosed(); },
             [this](Time now, const ControllerEvent& event, const std::vector<ControllerAction>& actions) {
               screen.OnStep(now, event, actions);
             }}),
        past(control, history),
        hour(folder.File("timeline"), log),
        screen(control, past, hour,
               {[this] { return web.feed().watched(); },
                [this](LiveFeed::Frame frame) { web.Publish(std::move(frame)); }},
               // While callers without the token are admitted, an address may be anybody's.
               settings.fleet_token_optional ? std::string() : settings.fleet_token),
        routers(loop, control),
        admin(control, past, metrics),
        scaler(control),
        web_loop("web"),
        web(web_loop, screen, AccessOf(settings),
            {{"/metrics", runtime::MetricsPage(metrics.registry())},
             {"/healthz", runtime::HealthPage()},
             {"/readyz", [this] { return Readiness(); }}}),
        pages(web_loop, {.listen = settings.http, .connections_max = kWebConnectionsMax}, web) {}

  absl::Status Serve();
  absl::Status OpenScalerPort();
  void StartPrometheus();
  void Take(const PrometheusQuery& query, const absl::StatusOr<std::vector<RegionValue>>& values);
  void Stop();
  // Ready also without a disk: who asks would otherwise take a working controller away from the fleet.
  runtime::HttpReply Readiness() const {
    if (!ready || !answers) return {.status = 503, .body = "not ready\n"};
    return {.body = state.failing() ? absl::StrCat("ready, but the state cannot be saved in ", folder.path(),
                                                   ": it would be lost with this process\n")
                                    : "ready\n"};
  }

  const DaemonSettings settings;
  const runtime::Logger log;
  StateFolder folder;
  AuditLog audit;
  ControllerMetrics metrics;
  StateStore state;
  Recorder journal;
  HistoryStore history;
  runtime::EventLoop loop;
  ControlLoop control;
  HistoryCalls past;
  TimelineStore hour;
  Dashboard screen;
  ControlService routers;
  AdminService admin;
  ScalerService scaler;
  std::atomic<bool> ready{false}, answers{true};
  runtime::EventLoop web_loop;
  WebFront web;
  http::Listener pages;
  std::optional<runtime::GrpcServer> grpc;
  std::optional<runtime::GrpcServer> scaler_port;  // of its own, without a token
  std::optional<runtime::SelfCheck> self_check;
  std::unique_ptr<PrometheusSource> prometheus;
  bool prometheus_failing = false;  // on the loop
};

absl::Status ControllerDaemon::Parts::Serve() {
  loop.Start();
  // The epoch is ours before anyone hears of it. A disk that does not take it is no reason to leave the fleet
  // without a controller: the next life hears from the routers that this one's epoch was used.
  (void)state.SaveNow(control.machine().Durable());
  if (absl::Status listens = pages.Listen(); !listens.ok()) return listens;
  web_loop.Start();
  if (!loop.Post([this] { control.Begin(); })) return absl::InternalError("the control loop takes nothing");
  auto server = runtime::GrpcServer::Start(settings.listen, {&routers, &admin, &scaler},
                                           GuardOf(settings, metrics, log));
  if (!server.ok()) return server.status();
  grpc.emplace(*std::move(server));
  grpc->SetServing(true);
  if (absl::Status opened = OpenScalerPort(); !opened.ok()) return opened;
  ready = true;
  self_check.emplace(grpc->address(), log, answers);
  if (settings.prometheus) StartPrometheus();
  const Fleet& fleet = *control.machine().fleet();
  log.Info(absl::StrCat(kBuild, " plans world ", fleet.world.name, " (", fleet.world.regions.size(),
                        " regions, ", fleet.tiers.size(), " tiers) in epoch ", control.machine().epoch(),
                        ": grpc ", grpc->address(), ", http ", pages.address()));
  if (settings.port_file.empty()) return absl::OkStatus();
  runtime::Ports ports = {{"grpc", grpc->address()}, {"http", pages.address()}};
  if (scaler_port) ports["scaler"] = scaler_port->address();
  return runtime::WritePortFile(settings.port_file, ports);
}

// KEDA presents certificates or nothing; a token it cannot. So what it may ask stands on a port of its own,
// read-only and bounded.
absl::Status ControllerDaemon::Parts::OpenScalerPort() {
  if (settings.scaler_listen.empty()) return absl::OkStatus();
  runtime::CallRule bounded;
  bounded.calls_per_second_max = kScalerCallsPerSecond;
  const auto guard = std::make_shared<runtime::CallGuard>(
      std::move(bounded), [log = log](const std::string& refused) { log.Warning(refused); });
  auto server = runtime::GrpcServer::Start(settings.scaler_listen, {&scaler}, guard);
  if (!server.ok()) return server.status();
  scaler_port.emplace(*std::move(server));
  scaler_port->SetServing(true);
  log.Info(absl::StrCat("autoscalers are answered without a token at ", scaler_port->address()));
  return absl::OkStatus();
}

void ControllerDaemon::Parts::StartPrometheus() {
  prometheus = std::make_unique<PrometheusSource>(
      *settings.prometheus,
      [this](const PrometheusQuery& query, absl::StatusOr<std::vector<RegionValue>> values) {
        metrics.Queried(values.ok());
        (void)loop.Post([this, query, values = std::move(values)] { Take(query, values); });
      });
  (void)loop.Post([this] { prometheus->Ask(QueriesOf(*control.machine().fleet())); });
}

void ControllerDaemon::Parts::Take(const PrometheusQuery& query,
                                   const absl::StatusOr<std::vector<RegionValue>>& values) {
  if (!values.ok()) {
    if (!std::exchange(prometheus_failing, true)) {
      log.Warning(
          absl::StrCat("metric ", query.metric, " of tier ", query.tier, ": ", values.status().message()));
    }
    return;
  }
  if (std::exchange(prometheus_failing, false)) log.Info("Prometheus answers again");
  const Fleet& fleet = *control.machine().fleet();
  const auto tier = fleet.FindTier(query.tier);
  if (!tier) return;
  const std::vector<MetricSpec>& metric_specs = fleet.tiers[*tier].metrics;
  for (std::size_t m = 0; m < metric_specs.size(); ++m) {
    if (metric_specs[m].name != query.metric || metric_specs[m].promql != query.promql) continue;
    for (const RegionValue& value : *values) {
      const auto region = fleet.world.FindRegion(value.region);
      if (region)
        control.Apply(MetricSampled{*tier, m, *region, value.value, settings.prometheus->value_age});
    }
  }
}

void ControllerDaemon::Parts::Stop() {
  ready = false;
  self_check.reset();
  for (auto* server : {&grpc, &scaler_port}) {
    if (*server) (*server)->SetServing(false);
  }
  prometheus.reset();
  std::promise<void> closed;
  if (loop.Post([&] {
        screen.SaveHour();
        control.Close();
        closed.set_value();
      })) {
    closed.get_future().wait();
  }
  if (scaler_port) scaler_port->Shutdown(kCloseGrace);
  if (grpc) grpc->Shutdown(kCloseGrace);
  history.Stop();  // its answers go to the control loop
  loop.Stop();
  screen.CloseSearches();  // their answers go to the web loop
  web_loop.Stop();
}

ControllerDaemon::ControllerDaemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ControllerDaemon::~ControllerDaemon() { parts_->Stop(); }

absl::StatusOr<std::unique_ptr<ControllerDaemon>> ControllerDaemon::Start(DaemonSettings settings) {
  if (absl::Status s = Check(settings); !s.ok()) return s;
  auto topology = ReadTopology(settings.topology);
  if (!topology.ok()) return topology.status();
  auto folder = StateFolder::Hold(settings.state_dir);
  if (!folder.ok()) return folder.status();
  auto audit = AuditLog::Open(folder->File("audit.log"));
  if (!audit.ok()) return audit.status();
  auto parts = std::make_unique<Parts>(std::move(settings), *std::move(folder), *std::move(audit),
                                       *std::move(topology));
  std::unique_ptr<ControllerDaemon> daemon(new ControllerDaemon(std::move(parts)));
  if (absl::Status served = daemon->parts_->Serve(); !served.ok()) return served;
  return daemon;
}

const std::string& ControllerDaemon::grpc_address() const { return parts_->grpc->address(); }
std::string ControllerDaemon::scaler_address() const {
  return parts_->scaler_port ? parts_->scaler_port->address() : std::string();
}
const std::string& ControllerDaemon::http_address() const { return parts_->pages.address(); }

void ControllerDaemon::Reload() {
  (void)parts_->loop.Post([parts = parts_.get()] {
    auto loaded = ReadTopology(parts->settings.topology);
    parts->metrics.TopologyReloaded(loaded.ok());
    if (!loaded.ok()) {
      parts->log.Error(absl::StrCat("the topology stays as it was: ", loaded.status().message()));
      return;
    }
    parts->log.Info(absl::StrCat("topology read again from ", parts->settings.topology));
    parts->control.Apply(*loaded);
    if (parts->prometheus) parts->prometheus->Ask(QueriesOf(*loaded->fleet));
  });
}

absl::Status RunController(const DaemonSettings& settings) {
  // Signals have a loop of their own: they must be caught before any other thread starts.
  runtime::EventLoop signal_loop("signals");
  std::promise<void> stop;
  std::atomic<ControllerDaemon*> running{nullptr};
  runtime::Signals signals(
      signal_loop, [&stop] { stop.set_value(); },
      [&running] {
        if (ControllerDaemon* daemon = running.load()) daemon->Reload();
      });
  auto daemon = ControllerDaemon::Start(settings);
  if (!daemon.ok()) return daemon.status();
  running = daemon->get();
  signal_loop.Start();
  std::cout << "ringway-controller " << settings.controller.name << ": grpc " << (*daemon)->grpc_address()
            << ", http " << (*daemon)->http_address() << std::endl;
  stop.get_future().wait();
  signal_loop.Stop();
  daemon->reset();
  return absl::OkStatus();
}

}  // namespace ringway::controller
