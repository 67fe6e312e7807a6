// An ObjectStore over HTTP: any S3-compatible server, path-style, signed with AWS Signature Version 4.
//
// A call is one request on a kept connection. What goes up is read twice, once for its SHA-256, once to be
// sent, in pieces on both ways; what comes down is handed on as it comes. A connection that turns out to be
// closed is replaced once, because every call may be repeated. A call that makes no progress for kSilenceMax,
// or that as a whole is slower than kSlowestBytesPerS, is Unavailable. Where the server does not accept the
// credentials, they are read anew before the next call, so that a file may be replaced while the router runs.
//
// Bounds: kCallsMax calls at a time (more are refused as Unavailable), kIdleMax kept connections,
// S3Request::kWindowBytes unsent for each call, kXmlBytesMax of a list. Threads: the front's loop.
#ifndef RINGWAY_GATEWAY_OBJECTS_S3_STORE_H_
#define RINGWAY_GATEWAY_OBJECTS_S3_STORE_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gateway/objects/object_store.h"
#include "gateway/objects/s3_request.h"
#include "gateway/objects/s3_settings.h"
#include "runtime/event_loop.h"
#include "runtime/http/origin_connection.h"

namespace ringway::gateway::objects {

class S3Store final : public ObjectStore {
 public:
  static constexpr std::size_t kCallsMax = 256;
  static constexpr std::size_t kIdleMax = 16;

  S3Store(runtime::EventLoop& loop, S3Settings settings);
  ~S3Store() override;

  Call Put(const std::string& key, ObjectSource source, Done done) override;
  Call Get(const std::string& key, std::uint64_t first, std::uint64_t count, ObjectSink& sink) override;
  Call GetSmall(const std::string& key, GotSmall done) override;
  Call Head(const std::string& key, GotSize done) override;
  Call Delete(const std::string& key, Done done) override;
  Call List(const std::string& prefix, const std::string& after, std::size_t count, GotList done) override;
  void OnTick(Time now) override;
  void Close() override;
  std::string name() const override;

 private:
  using Request = std::shared_ptr<S3Request>;
  using Endpoint = boost::asio::ip::tcp::endpoint;
  Call Begin(S3Request::Plan plan, S3Request::Ended ended);
  void Hash(const Request& request);
  void Dispatch(const Request& request, bool fresh);
  void SendOn(const Request& request, bool fresh);
  void OnOver(const Request& request, const absl::Status& status,
              std::shared_ptr<http::OriginConnection> connection);
  std::string HeadOf(const S3Request& request) const;
  std::string PathOf(const std::string& key) const;
  void RefreshCredentials();

  runtime::EventLoop& loop_;
  S3Settings settings_;
  boost::asio::ip::tcp::resolver resolver_;
  std::optional<Endpoint> endpoint_;
  std::vector<std::shared_ptr<http::OriginConnection>> idle_;
  std::set<Request> requests_;
  bool stale_ = false;             // the credentials
  Time read_at_ = InfinitePast();  // they were, last
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_S3_STORE_H_
