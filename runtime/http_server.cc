#include "runtime/http_server.h"

#include <optional>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"
#include "runtime/event_loop.h"

namespace ringway::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Pages = std::map<std::string, HttpServer::Page>;

constexpr auto kIdleMax = std::chrono::seconds(15);
constexpr std::uint32_t kHeaderBytesMax = 16 << 10;

HttpReply Answer(const http::request<http::empty_body>& request, const Pages& pages) {
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return {.status = 405, .body = "only GET and HEAD\n"};
  }
  std::string path(request.target().substr(0, request.target().find('?')));
  const auto page = pages.find(path);
  if (page == pages.end()) {
    std::string known;
    for (const auto& [name, unused] : pages) absl::StrAppend(&known, " ", name);
    return {.status = 404, .body = absl::StrCat("no such page; there are:", known, "\n")};
  }
  return page->second();
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, const Pages& pages, std::shared_ptr<int> open)
      : stream_(std::move(socket)), pages_(pages), open_(std::move(open)) {
    ++*open_;
  }
  ~Connection() { --*open_; }

  void Read() {
    parser_.emplace();
    parser_->header_limit(kHeaderBytesMax);
    stream_.expires_after(kIdleMax);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       if (!failed) self->Write();
                     });
  }

 private:
  void Write() {
    const http::request<http::empty_body>& request = parser_->get();
    HttpReply reply = Answer(request, pages_);
    response_ = {};
    response_.version(request.version());
    response_.result(static_cast<unsigned>(reply.status));
    response_.set(http::field::content_type, reply.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.keep_alive(request.keep_alive());
    response_.content_length(reply.body.size());
    if (request.method() != http::verb::head) response_.body() = std::move(reply.body);
    stream_.expires_after(kIdleMax);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code failed, std::size_t) {
      if (!failed && self->response_.keep_alive()) self->Read();
    });
  }

  beast::tcp_stream stream_;
  const Pages& pages_;
  std::shared_ptr<int> open_;
  beast::flat_buffer buffer_{kHeaderBytesMax};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

struct HttpServer::State {
  explicit State(Pages pages_in) : pages(std::move(pages_in)), loop("http"), acceptor(loop.context()) {}
  ~State() { loop.Stop(); }

  void Accept() {
    acceptor.async_accept([this](beast::error_code failed, Tcp::socket socket) {
      if (failed == asio::error::operation_aborted) return;
      if (!failed && *open < kConnectionsMax) {
        std::make_shared<Connection>(std::move(socket), pages, open)->Read();
      }
      Accept();
    });
  }

  const Pages pages;
  std::shared_ptr<int> open = std::make_shared<int>(0);
  EventLoop loop;
  Tcp::acceptor acceptor;
  std::string address;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;
const std::string& HttpServer::address() const { return state_->address; }

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& listen,
                                                              std::map<std::string, Page> pages) {
  auto address = ParseAddress(listen);
  if (!address.ok()) return address.status();
  auto state = std::make_unique<State>(std::move(pages));
  beast::error_code failed;
  const auto ip = asio::ip::make_address(address->host == "localhost" ? "127.0.0.1" : address->host, failed);
  if (failed) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", listen, "': the host must be an IP address or localhost"));
  }
  const Tcp::endpoint endpoint(ip, address->port);
  state->acceptor.open(endpoint.protocol(), failed);
  if (!failed) state->acceptor.set_option(asio::socket_base::reuse_address(true), failed);
  if (!failed) state->acceptor.bind(endpoint, failed);
  if (!failed) state->acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed)
    return absl::UnavailableError(absl::StrCat("cannot listen on ", listen, ": ", failed.message()));
  address->port = state->acceptor.local_endpoint().port();
  state->address = address->ToString();
  state->Accept();
  state->loop.Start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

}  // namespace ringway::runtime
