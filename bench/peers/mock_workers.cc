#include "bench/peers/mock_workers.h"

#include <optional>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <mutex>

#include "runtime/event_loop.h"

namespace ringway::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

using Clock = std::chrono::steady_clock;

struct Counters {
  std::mutex mutex;
  WorkerCounts counts;
};

struct OneWorker {
  explicit OneWorker(asio::io_context& io)
      : acceptor(io, Tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}
  Tcp::acceptor acceptor;
  bool busy = false;
  Clock::time_point freed = {};
};

class WorkerConnection : public std::enable_shared_from_this<WorkerConnection> {
 public:
  WorkerConnection(Tcp::socket socket, OneWorker& worker, Counters& counters)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), worker_(worker), counters_(counters) {
    socket_.set_option(Tcp::no_delay(true));
  }

  void Read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       if (!failed) self->Serve();
                     });
  }

 private:
  void Serve() {
    if (worker_.busy) {
      const std::lock_guard lock(counters_.mutex);
      ++counters_.counts.rejected;
      return Reply(http::status::service_unavailable);
    }
    worker_.busy = true;
    const auto text = request_["X-Service-Us"];
    std::uint64_t service_us = 0;
    std::from_chars(text.data(), text.data() + text.size(), service_us);
    CountStart(static_cast<double>(service_us) * 1e-6);
    timer_.expires_after(std::chrono::microseconds(service_us));
    timer_.async_wait([self = shared_from_this()](beast::error_code) {
      self->worker_.busy = false;
      self->worker_.freed = Clock::now();
      self->Reply(http::status::ok);
    });
  }

  void CountStart(double service_s) {
    const std::lock_guard lock(counters_.mutex);
    ++counters_.counts.accepted;
    counters_.counts.busy_s += service_s;
    if (worker_.freed == Clock::time_point()) return;
    counters_.counts.idle.Add(std::chrono::duration<double>(Clock::now() - worker_.freed).count());
  }

  void Reply(http::status status) {
    response_ = {status, 11};
    response_.keep_alive(request_.keep_alive());
    response_.body() = status == http::status::ok ? "done\n" : "busy\n";
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](beast::error_code failed, std::size_t) {
      if (!failed && self->response_.keep_alive()) self->Read();
    });
  }

  Tcp::socket socket_;
  asio::steady_timer timer_;
  OneWorker& worker_;
  Counters& counters_;
  beast::flat_buffer buffer_{64 << 10};
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

}  // namespace

struct MockWorkers::State {
  State() : loop("workers") {}
  void Accept(OneWorker& worker) {
    worker.acceptor.async_accept([this, &worker](beast::error_code failed, Tcp::socket socket) {
      if (failed == asio::error::operation_aborted) return;
      if (!failed) std::make_shared<WorkerConnection>(std::move(socket), worker, counters)->Read();
      Accept(worker);
    });
  }
  Counters counters;
  runtime::EventLoop loop;
  std::vector<std::unique_ptr<OneWorker>> workers;
  std::vector<int> ports;
};

MockWorkers::MockWorkers(int count) : state_(std::make_unique<State>()) {
  for (int i = 0; i < count; ++i) {
    state_->workers.push_back(std::make_unique<OneWorker>(state_->loop.context()));
    state_->ports.push_back(state_->workers.back()->acceptor.local_endpoint().port());
    state_->Accept(*state_->workers.back());
  }
  state_->loop.Start();
}

MockWorkers::~MockWorkers() { state_->loop.Stop(); }

const std::vector<int>& MockWorkers::ports() const { return state_->ports; }

WorkerCounts MockWorkers::counts() const {
  const std::lock_guard lock(state_->counters.mutex);
  return state_->counters.counts;
}

}  // namespace ringway::bench
