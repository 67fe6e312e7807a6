#include "bench/peers/open_loop.h"

#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

#include "core/rng.h"
#include "core/time.h"

namespace ringway::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kConnectionsMax = 20000;

class Connection;
using Pool = std::vector<std::shared_ptr<Connection>>;

struct Run {
  Run(const std::vector<TimedJob>& jobs_in, const WorkloadSpec& spec_in, const std::vector<int>& ports_in)
      : jobs(jobs_in),
        spec(spec_in),
        ports(ports_in),
        idle(ports_in.size()),
        choice(spec_in.seed, 3),
        next(io) {}

  void SendDue();
  void Finish(const TimedJob& job, std::uint64_t LoadResult::*counter);
  void LearnLateness(const std::string& body);
  double NowS() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

  const std::vector<TimedJob>& jobs;
  const WorkloadSpec& spec;
  const std::vector<int>& ports;
  std::vector<Pool> idle;
  Rng choice;
  asio::io_context io{1};
  asio::steady_timer next;
  Clock::time_point start;
  std::size_t index = 0;
  std::size_t open = 0;
  Histogram lag;
  LoadResult result;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Run& run, std::size_t proxy) : run_(run), proxy_(proxy), stream_(run.io) { ++run_.open; }
  ~Connection() { --run_.open; }

  void Send(const TimedJob& job) {
    job_ = job;
    request_ = {http::verb::post, "/work", 11};
    request_.set(http::field::host, "bench");
    request_.set("X-Service-Us", std::to_string(static_cast<std::uint64_t>(job.service_s * 1e6)));
    const double left_s = std::max(1e-3, job.at_s + run_.spec.deadline_s - run_.NowS());
    request_.set("X-Ringway-Deadline-Ms", std::to_string(static_cast<std::int64_t>(left_s * 1e3)));
    request_.prepare_payload();
    stream_.expires_after(std::chrono::microseconds(static_cast<std::int64_t>(left_s * 1e6)));
    if (stream_.socket().is_open()) return Write();
    const Tcp::endpoint endpoint(asio::ip::address_v4::loopback(),
                                 static_cast<std::uint16_t>(run_.ports[proxy_]));
    stream_.async_connect(endpoint, [self = shared_from_this()](beast::error_code failed) {
      if (failed) return self->Fail(failed);
      self->stream_.socket().set_option(Tcp::no_delay(true));
      self->Write();
    });
  }

 private:
  void Write() {
    http::async_write(stream_, request_, [self = shared_from_this()](beast::error_code failed, std::size_t) {
      if (failed) return self->Fail(failed);
      self->Read();
    });
  }
  void Read() {
    response_ = {};
    http::async_read(stream_, buffer_, response_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       if (failed) return self->Fail(failed);
                       const bool ok = self->response_.result() == http::status::ok;
                       if (!ok) self->run_.LearnLateness(self->response_.body());
                       self->run_.Finish(self->job_, ok ? &LoadResult::ok : &LoadResult::refused);
                       self->stream_.expires_never();
                       if (self->response_.keep_alive()) self->run_.idle[self->proxy_].push_back(self);
                     });
  }
  void Fail(beast::error_code failed) {
    run_.Finish(job_, failed == beast::error::timeout ? &LoadResult::timeouts : &LoadResult::broken);
  }

  Run& run_;
  const std::size_t proxy_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{64 << 10};
  TimedJob job_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

void Run::Finish(const TimedJob& job, std::uint64_t LoadResult::*counter) {
  const double now_s = NowS();
  const double latency_s = now_s - job.at_s;
  if (counter == &LoadResult::ok && latency_s > spec.deadline_s) counter = &LoadResult::timeouts;
  const bool measured = now_s >= spec.warmup_s && now_s < spec.warmup_s + spec.measured_s;
  if (counter == &LoadResult::ok && measured) ++result.finished;
  if (job.at_s < spec.warmup_s) return;
  ++(result.*counter);
  if (counter == &LoadResult::ok) result.latency.Add(latency_s);
  if (counter == &LoadResult::refused) result.refusal.Add(latency_s);
}

// Our refusals say how much of the deadline was left and how much a request may take.
void Run::LearnLateness(const std::string& body) {
  const auto before = [&body](const char* marker) {
    const std::size_t end = body.find(marker);
    if (end == std::string::npos) return InfiniteDuration();
    const std::size_t begin = body.rfind(' ', end - 1) + 1;
    Duration found;
    return ParseDuration(body.substr(begin, end - begin), &found) ? found : InfiniteDuration();
  };
  const Duration left = before(" left, a job");
  const Duration takes = before("; ");
  if (left == InfiniteDuration() || takes == InfiniteDuration()) return;
  result.lateness.Add(std::max(0.0, ToDoubleSeconds(takes - left)));
}

void Run::SendDue() {
  while (index < jobs.size() && jobs[index].at_s <= NowS()) {
    const TimedJob& job = jobs[index++];
    if (job.at_s >= spec.warmup_s) {
      ++result.sent;
      lag.Add(NowS() - job.at_s);
    }
    const std::size_t proxy = choice.Below(ports.size());
    std::shared_ptr<Connection> connection;
    if (!idle[proxy].empty()) {
      connection = std::move(idle[proxy].back());
      idle[proxy].pop_back();
    } else if (open < kConnectionsMax) {
      connection = std::make_shared<Connection>(*this, proxy);
    } else {
      Finish(job, &LoadResult::broken);
      continue;
    }
    connection->Send(job);
  }
  if (index == jobs.size()) return;
  next.expires_at(start + std::chrono::nanoseconds(static_cast<std::int64_t>(jobs[index].at_s * 1e9)));
  next.async_wait([this](beast::error_code) { SendDue(); });
}

}  // namespace

LoadResult RunOpenLoop(const std::vector<TimedJob>& jobs, const WorkloadSpec& spec,
                       const std::vector<int>& proxy_ports) {
  Run run(jobs, spec, proxy_ports);
  run.start = Clock::now();
  run.SendDue();
  run.io.run();
  run.result.send_lag_p99_s = run.lag.Quantile(0.99);
  // Idle connections refer to the run: they must go before it.
  for (Pool& pool : run.idle) pool.clear();
  return std::move(run.result);
}

}  // namespace ringway::bench
