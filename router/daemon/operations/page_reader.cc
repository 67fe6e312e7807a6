#include "router/daemon/operations/page_reader.h"

#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "runtime/address.h"

namespace ringway::router {

namespace beast = boost::beast;
namespace beast_http = boost::beast::http;
using Tcp = boost::asio::ip::tcp;

struct PageReader::Request : std::enable_shared_from_this<Request> {
  Request(boost::asio::io_context& context, PageReader* reader) : stream(context), owner(reader) {
    parser.body_limit(kPageBytesMax);
  }

  void Begin(const Tcp::endpoint& endpoint, const std::string& host) {
    request.method(beast_http::verb::get);
    request.target("/metrics");
    request.version(11);
    request.set(beast_http::field::host, host);
    request.keep_alive(false);
    stream.expires_after(absl::ToChronoMilliseconds(kPatience));
    stream.async_connect(endpoint, [self = shared_from_this()](beast::error_code error) {
      if (error) return self->End(false);
      beast_http::async_write(self->stream, self->request, [self](beast::error_code failed, std::size_t) {
        if (failed) return self->End(false);
        beast_http::async_read(self->stream, self->buffer, self->parser,
                               [self](beast::error_code broken, std::size_t) { self->End(!broken); });
      });
    });
  }

  void End(bool whole) {
    if (owner == nullptr) return;
    PageReader& reader = *std::exchange(owner, nullptr);
    const std::shared_ptr<Request> self = std::move(reader.request_);
    if (whole && parser.get().result() == beast_http::status::ok) reader.take_(parser.get().body());
  }

  beast::tcp_stream stream;
  PageReader* owner;  // null: nobody listens
  beast_http::request<beast_http::empty_body> request;
  beast::flat_buffer buffer;
  beast_http::response_parser<beast_http::string_body> parser;
};

PageReader::PageReader(runtime::EventLoop& loop, std::function<void(const std::string& body)> take)
    : loop_(loop), take_(std::move(take)) {}

PageReader::~PageReader() {
  if (request_ == nullptr) return;
  request_->owner = nullptr;
  request_->stream.cancel();
}

void PageReader::Read(const std::string& address) {
  if (request_ != nullptr) return;
  const auto parsed = runtime::ParseAddress(address);
  if (!parsed.ok()) return;
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(parsed->host, error);
  if (error) return;
  request_ = std::make_shared<Request>(loop_.context(), this);
  request_->Begin(Tcp::endpoint(ip, parsed->port), parsed->ToString());
}

}  // namespace ringway::router
