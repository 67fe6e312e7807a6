#include "runtime/http/client_call.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/clock.h"
#include "runtime/http/field_text.h"
#include "runtime/http/origin_connection.h"

namespace ringway::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;

std::string RequestLine(const ClientRequest& request) {
  return absl::StrCat(request.method, " ", request.target, " HTTP/1.1\r\n");
}

// Each by itself: together they could look like a head with a field more.
bool MayBeSent(const ClientRequest& request) {
  const auto may = [](const auto& field) { return IsFieldName(field.first) && IsFieldValue(field.second); };
  return IsRequestHead(RequestLine(request)) && IsFieldValue(request.host) &&
         std::all_of(request.fields.begin(), request.fields.end(), may);
}

std::string HeadOf(const ClientRequest& request) {
  std::string head = absl::StrCat(RequestLine(request), "Host: ", HostField(request.host, request.port),
                                  "\r\nConnection: close\r\n");
  for (const auto& [name, value] : request.fields) absl::StrAppend(&head, name, ": ", value, "\r\n");
  const bool sends = !request.body.empty() || request.method == "POST";
  if (sends) absl::StrAppend(&head, "Content-Length: ", request.body.size(), "\r\n");
  return head + "\r\n";
}

}  // namespace

std::string HostField(const std::string& host, const std::string& port) {
  const std::string name = host.find(':') == std::string::npos ? host : absl::StrCat("[", host, "]");
  return port == "80" ? name : absl::StrCat(name, ":", port);
}

std::string ClientAnswer::Value(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const auto& field) { return SameName(field.first, name); });
  return found == fields.end() ? "" : found->second;
}

// Shared with the operations that are under way; `done_` is null once it has been called, or nobody listens.
class ClientCall::Exchange final : public std::enable_shared_from_this<Exchange>, private ExchangeSink {
 public:
  Exchange(runtime::EventLoop& loop, ClientRequest request, Done done, Take take)
      : io_(loop.context()),
        request_(std::move(request)),
        done_(std::move(done)),
        take_(std::move(take)),
        begun_(runtime::MonotonicNow()),
        resolver_(io_),
        alarm_(loop, [this] { OnAlarm(); }) {}

  void Begin() {
    alarm_.Arm(begun_ + std::min(request_.connect_max, request_.answer_max));
    if (!MayBeSent(request_)) return EndSoon("was not asked: the request has a byte that no head may have");
    int port = 0;
    ErrorCode no_address;
    const auto address = asio::ip::make_address(request_.host, no_address);
    if (!no_address && absl::SimpleAtoi(request_.port, &port)) {
      servers_.emplace_back(address, static_cast<std::uint16_t>(port));
      return TryNext("no address");
    }
    resolver_.async_resolve(
        request_.host, request_.port,
        [self = shared_from_this()](const ErrorCode& failed, const Tcp::resolver::results_type& found) {
          if (self->done_ == nullptr || self->ends_soon_) return;
          for (const auto& entry : found) self->servers_.push_back(entry.endpoint());
          self->TryNext(failed.message());
        });
  }

  void Cancel() {
    if (done_ != nullptr) EndSoon("was left: the call was cancelled");
  }

  // Nobody listens any more.
  void Silence() {
    done_ = nullptr;
    take_ = nullptr;
    HangUp();
    alarm_.Arm(InfiniteFuture());
  }

 private:
  void TryNext(std::string_view why) {
    if (next_ == servers_.size()) return EndSoon(std::string(why));
    connection_ = std::make_shared<OriginConnection>(io_, servers_[next_++], kHeadBytesMax);
    connection_->Begin(*this, request_.method == "HEAD");
    connection_->Write(HeadOf(request_));
    connection_->Write(request_.body);
    if (next_ == servers_.size()) request_.body = {};  // it will not be sent again
  }

  void OnAlarm() {
    if (ends_soon_) return End();
    answer_.reached = connection_ != nullptr && connection_->connected();
    const Time until = begun_ + request_.answer_max;
    if (answer_.reached && runtime::MonotonicNow() < until) return alarm_.Arm(until);
    answer_.why =
        answer_.reached
            ? absl::StrCat("gave no whole answer within ", absl::FormatDuration(request_.answer_max))
            : absl::StrCat("took no connection within ",
                           absl::FormatDuration(std::min(request_.connect_max, request_.answer_max)));
    End();
  }

  // From the top of the loop.
  void EndSoon(std::string why) {
    answer_.why = std::move(why);
    ends_soon_ = true;
    HangUp();
    alarm_.Arm(runtime::MonotonicNow());
  }

  void End() {
    HangUp();
    alarm_.Arm(InfiniteFuture());
    take_ = nullptr;
    if (Done done = std::exchange(done_, nullptr)) done(std::move(answer_));
  }

  void HangUp() {
    resolver_.cancel();
    if (connection_ != nullptr) connection_->Abandon();
  }

  void OnResponseHead(const Head& head) override {
    answer_.status = head.status;
    for (const Field& field : head.fields) answer_.fields.emplace_back(field.name, field.value);
  }
  void OnResponseBody(std::string_view bytes) override {
    body_bytes_ += bytes.size();
    if (body_bytes_ > request_.body_bytes_max) {
      answer_.reached = true;
      return EndSoon(absl::StrCat("sent more than the ", request_.body_bytes_max, " bytes that are read"));
    }
    if (take_ == nullptr || !take_(answer_.status, bytes)) answer_.body.append(bytes);
  }
  void OnResponsePart() override {}
  void OnResponseEnd() override {
    answer_.whole = answer_.reached = true;
    End();
  }
  void OnExchangeBroken(bool sent, std::string_view why) override {
    if (!sent) return TryNext(why);
    answer_.reached = true;
    answer_.why = absl::StrCat("broke off: ", absl::string_view(why.data(), why.size()));
    End();
  }
  void OnRequestDrained() override {}

  asio::io_context& io_;
  ClientRequest request_;
  Done done_;
  Take take_;
  const Time begun_;
  Tcp::resolver resolver_;
  std::vector<Tcp::endpoint> servers_;
  std::size_t next_ = 0;                          // of servers_
  std::shared_ptr<OriginConnection> connection_;  // null: none yet
  std::uint64_t body_bytes_ = 0;
  ClientAnswer answer_;
  bool ends_soon_ = false;
  runtime::Alarm alarm_;
};

ClientCall::ClientCall(runtime::EventLoop& loop, ClientRequest request, Done done, Take take)
    : exchange_(std::make_shared<Exchange>(loop, std::move(request), std::move(done), std::move(take))) {
  exchange_->Begin();
}

ClientCall::~ClientCall() { exchange_->Silence(); }

void ClientCall::Cancel() { exchange_->Cancel(); }

}  // namespace ringway::http
