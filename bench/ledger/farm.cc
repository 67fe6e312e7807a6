#include "bench/ledger/farm.h"

#include <cstdlib>
#include <functional>
#include <future>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "worker/agent.h"
#include "worker/backends/synthetic.h"
#include "worker/service.h"

namespace ringway::bench {
namespace {

class LoggedBackend final : public worker::Backend, private worker::WorkSink {
 public:
  LoggedBackend(runtime::EventLoop& loop, const worker::SyntheticSettings& settings, const std::string& name,
                std::function<void(Time, Time)> served)
      : synthetic_(loop, settings, name), served_(std::move(served)) {}

  void Start(worker::WorkOrder order, worker::WorkSink& sink) override {
    sink_ = &sink;
    started_ = runtime::MonotonicNow();
    synthetic_.Start(std::move(order), *this);
  }
  void Cancel() override { synthetic_.Cancel(); }

 private:
  void OnProgress(std::uint32_t, std::uint32_t) override {}  // not what is measured
  void OnResult(std::string bytes) override { sink_->OnResult(std::move(bytes)); }
  void OnEnd(worker::WorkEnd end) override {
    served_(started_, runtime::MonotonicNow());
    sink_->OnEnd(std::move(end));
  }

  worker::SyntheticBackend synthetic_;
  std::function<void(Time, Time)> served_;
  worker::WorkSink* sink_ = nullptr;
  Time started_;
};

double Series(const std::string& page, const std::string& series) {
  const std::size_t at = page.find(series + " ");
  return at == std::string::npos ? 0 : std::atof(page.c_str() + at + series.size());
}

}  // namespace

struct Farm::Worker {
  Worker(runtime::EventLoop& loop, const worker::AgentSettings& settings, const runtime::Logger& log,
         std::unique_ptr<worker::Backend> backend)
      : metrics(settings.identity),
        agent(loop, settings, std::move(backend), metrics, log, [](bool) {}),
        service(loop, agent) {}
  worker::WorkerMetrics metrics;
  worker::Agent agent;
  worker::WorkerService service;
  std::optional<runtime::GrpcServer> server;
};

Farm::Farm(const std::string& tier, const std::string& region, std::size_t workers, Duration service)
    : loop_("farm"), log_("farm", runtime::LogLevel::kWarning) {
  for (std::size_t w = 0; w < workers; ++w) {
    worker::AgentSettings settings;
    settings.identity = {.name = absl::StrCat(tier, "-w", w),
                         .tier = tier,
                         .region = region,
                         .model = "",
                         .backend = "synthetic",
                         .metrics_address = "",
                         .pictures = {}};
    settings.node.slot.service_prior = service;
    settings.node.slot.started = runtime::WallNow();
    worker::SyntheticSettings synthetic;
    synthetic.draw = {
        .law = worker::ServiceLaw::kFixed, .mean = service, .cv = 0, .fail_rate = 0, .seed = w + 1};
    synthetic.steps = 1;
    synthetic.result_bytes = 64;
    auto backend = std::make_unique<LoggedBackend>(loop_, synthetic, settings.identity.name,
                                                   [this, w](Time started, Time ended) {
                                                     served_.push_back({w, started, ended});
                                                   });
    workers_.push_back(std::make_unique<Worker>(loop_, settings, log_, std::move(backend)));
    auto server = runtime::GrpcServer::Start("127.0.0.1:0", {&workers_.back()->service});
    RINGWAY_CHECK(server.ok());
    addresses_.push_back(server->address());
    workers_.back()->server.emplace(*std::move(server));
  }
  loop_.Start();
}

Farm::~Farm() {
  for (const auto& worker : workers_) worker->server->Shutdown(Milliseconds(200));
  loop_.Stop();
}

std::vector<Served> Farm::Log() {
  std::promise<std::vector<Served>> log;
  RINGWAY_CHECK(loop_.Post([&] { log.set_value(served_); }));
  return log.get_future().get();
}

double Farm::DoubleGrants() {
  double sum = 0;
  for (const auto& worker : workers_) {
    const auto page = worker->metrics.Page(&runtime::MonotonicNow)();
    sum += Series(page.body, "ringway_worker_rejected_total{reason=\"double_grant\"}");
  }
  return sum;
}

}  // namespace ringway::bench
