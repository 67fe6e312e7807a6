#include "tests/worker/scripted_server.h"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core.hpp>
#include <memory>

namespace ringway::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

}  // namespace

class ScriptedServer::Visit : public std::enable_shared_from_this<ScriptedServer::Visit> {
 public:
  Visit(ScriptedServer& server, Tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    parser_.body_limit(std::uint64_t{64} << 20);
  }

  void Begin() {
    http::async_read(stream_, buffer_, parser_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       if (!failed) self->Answer();
                     });
  }

 private:
  void Answer() {
    server_.requests_.fetch_add(1);
    response_.version(11);
    response_.keep_alive(false);
    if (!server_.script_(parser_.get(), response_)) return AwaitHangUp();
    response_.prepare_payload();
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code, std::size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    });
  }

  void AwaitHangUp() {
    stream_.async_read_some(asio::buffer(&byte_, 1),
                            [self = shared_from_this()](beast::error_code failed, std::size_t) {
                              if (failed && failed != asio::error::operation_aborted)
                                self->server_.hang_ups_.fetch_add(1);
                            });
  }

  ScriptedServer& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::string_body> parser_;
  HttpResponse response_;
  char byte_ = 0;
};

ScriptedServer::ScriptedServer(Script script)
    : script_(std::move(script)), acceptor_(loop_.context(), {asio::ip::make_address("127.0.0.1"), 0}) {
  Accept();
  loop_.Start();
}

ScriptedServer::~ScriptedServer() { loop_.Stop(); }

std::string ScriptedServer::Url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + path;
}

void ScriptedServer::Accept() {
  acceptor_.async_accept([this](beast::error_code failed, Tcp::socket socket) {
    if (failed) return;
    std::make_shared<Visit>(*this, std::move(socket))->Begin();
    Accept();
  });
}

}  // namespace ringway::live
