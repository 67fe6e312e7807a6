#include "router/http/health_checks.h"

#include <utility>

namespace ringway::router {
namespace {

constexpr std::size_t kHeaderBytesMax = std::size_t{16} << 10;

}  // namespace

// One worker under observation, and the check of it that is under way.
struct HealthChecks::Check final : http::ExchangeSink {
  Check(HealthChecks& all_in, WorkerId worker_in) : all(all_in), worker(worker_in) {}
  ~Check() override {
    if (connection != nullptr) connection->Abandon();
  }

  void Ask() {
    if (connection == nullptr || !connection->ready()) {
      connection = std::make_shared<http::OriginConnection>(all.loop_.context(), endpoint, kHeaderBytesMax);
    }
    asking = true;
    connection->Begin(*this, false);
    connection->Write("GET " + all.path_ + " HTTP/1.1\r\nHost: " + name +
                      "\r\nUser-Agent: ringway-health\r\n\r\n");
    connection->Push();
  }
  void Conclude(bool well) {
    asking = false;
    failures = well ? 0 : failures + 1;
    const bool now = well || (healthy && failures < kFall);
    if (std::exchange(healthy, now) != now) all.changed_(worker, now);
  }

  void OnResponseHead(const http::Head& head) override { status = head.status; }
  void OnResponseBody(std::string_view) override {}
  void OnResponsePart() override {}
  void OnResponseEnd() override { Conclude(status < 400); }
  void OnExchangeBroken(bool, std::string_view) override { Conclude(false); }
  void OnRequestDrained() override {}

  HealthChecks& all;
  const WorkerId worker;
  std::string name;
  boost::asio::ip::tcp::endpoint endpoint;
  std::shared_ptr<http::OriginConnection> connection;
  Time due = InfinitePast();
  int status = 0;
  int failures = 0;
  bool healthy = true;
  bool asking = false;
};

HealthChecks::HealthChecks(runtime::EventLoop& loop, std::string path, Duration period, Changed changed)
    : loop_(loop), path_(std::move(path)), period_(period), changed_(std::move(changed)) {}

HealthChecks::~HealthChecks() = default;

void HealthChecks::Set(WorkerId worker, const std::string& name,
                       const boost::asio::ip::tcp::endpoint& endpoint) {
  if (path_.empty()) return;
  while (!checks_.contains(worker)) checks_.push_back(nullptr);
  if (checks_[worker] == nullptr) checks_[worker] = std::make_unique<Check>(*this, worker);
  checks_[worker]->name = name;
  checks_[worker]->endpoint = endpoint;
}

void HealthChecks::Forget(WorkerId worker) {
  if (checks_.contains(worker)) checks_[worker].reset();
}

void HealthChecks::OnTick(Time now, const std::function<bool(WorkerId)>& idle) {
  // By index: a change may reach whoever lists workers.
  for (WorkerId id(0); id.index() < checks_.size(); id = WorkerId(id.index() + 1)) {
    Check* const check = checks_[id].get();
    if (check == nullptr || now < check->due) continue;
    check->due = now + period_;
    if (check->asking) {
      // A whole period without an answer.
      check->connection->Abandon();
      check->Conclude(false);
    } else if (idle(id)) {
      check->Ask();
    }
  }
}

}  // namespace ringway::router
