// One request to an S3-compatible server, from the SHA-256 of its body to the end of its answer.
//
// The store gives it a connection and a signed head; the request sends its body as the server takes it, reads
// the answer, and says once how it ended. What is got as a stream is handed to a sink while the status is
// that of success; everything else is collected, within bounds, to be read as a list, a small object or an
// error. A server that answers before it has read the whole body is listened to, and its connection is given
// up.
//
// Lifetime: shared; the store keeps it until it has ended or was abandoned. Nothing is said from within a
// call of the store's user. Bounds: kSmallBytesMax or kXmlBytesMax collected, a window unsent. Threads: the
// loop's.
#ifndef RINGWAY_GATEWAY_OBJECTS_S3_REQUEST_H_
#define RINGWAY_GATEWAY_OBJECTS_S3_REQUEST_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/time.h"
#include "gateway/objects/object_store.h"
#include "gateway/objects/sigv4.h"
#include "runtime/http/origin_connection.h"

namespace ringway::gateway::objects {

class S3Request final : public ObjectCall,
                        public http::ExchangeSink,
                        public std::enable_shared_from_this<S3Request> {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{512} << 10;
  static constexpr Duration kSilenceMax = Seconds(10);
  static constexpr Duration kCallMax = Seconds(60);  // beside its bytes
  static constexpr double kSlowestBytesPerS = 64 << 10;
  struct Plan {
    std::string method = "GET";
    std::string path = {};  // of the bucket or the object, not encoded
    std::map<std::string, std::string> query = {};
    std::string range = {};      // the value of Range; empty: none
    ObjectSource source = {};    // what goes up
    std::uint64_t expected = 0;  // bytes that a stream must have
    ObjectSink* sink = nullptr;  // null: the answer is collected
    std::size_t collected_max = kSmallBytesMax;
  };
  // What came back when the status was one of success.
  struct Answer {
    std::string body = {};
    std::uint64_t length = 0;  // that was stated
  };
  // Once; not when it was abandoned. A sink is told by itself.
  using Ended = std::function<void(const absl::Status&, const Answer&)>;
  // The store's: the request is over, and its connection free, or null.
  using Over = std::function<void(const std::shared_ptr<S3Request>&, const absl::Status&,
                                  std::shared_ptr<http::OriginConnection>)>;

  S3Request(Plan plan, Ended ended, Over over)
      : plan_(std::move(plan)), ended_(std::move(ended)), over_(std::move(over)) {}

  // Reads another piece of what goes up; false: there is more, call again. At the end body_sha256 is known,
  // or the request is over because its bytes cannot be read.
  bool HashMore();
  // `head`: as it stands on the wire, without the body.
  void Send(std::shared_ptr<http::OriginConnection> connection, std::string_view head, bool reused);
  void Fail(const absl::Status& status);
  void OnTick(Time now);

  void Pause() override;
  void Resume() override;
  bool paused() const override { return connection_ != nullptr && connection_->response_paused(); }
  void Abandon() override;

  const Plan& plan() const { return plan_; }
  const std::string& body_sha256() const { return body_sha256_; }
  bool over() const { return is_over_; }
  // Asked for by the request when its connection turned out to be closed: send it again on a fresh one.
  std::function<void()> again = {};

 private:
  void SendMore();
  bool IsGood() const { return status_ / 100 == 2; }
  absl::Status Verdict() const;
  void End(const absl::Status& status, bool reusable);

  void OnResponseHead(const http::Head& head) override;
  void OnResponseBody(std::string_view bytes) override;
  void OnResponsePart() override {}
  void OnResponseEnd() override;
  void OnExchangeBroken(bool sent, std::string_view why) override;
  void OnRequestDrained() override;

  const Plan plan_;
  Ended ended_;
  Over over_;
  std::shared_ptr<http::OriginConnection> connection_;
  Sha256 sum_;
  std::uint64_t hashed_ = 0;
  std::string body_sha256_;
  std::uint64_t sent_ = 0;
  int status_ = 0;  // 0: no head yet
  Answer answer_;
  std::uint64_t came_ = 0;  // bytes of the body
  bool reused_ = false;
  bool is_over_ = false;
  Time began_ = InfiniteFuture();  // by the ticks
  Time moved_ = InfiniteFuture();
  bool moving_ = false;  // since the last tick
};

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_S3_REQUEST_H_
