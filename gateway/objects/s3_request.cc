#include "gateway/objects/s3_request.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "gateway/objects/s3_answers.h"

namespace ringway::gateway::objects {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
// An error that is longer says nothing that is wanted.
constexpr std::size_t kErrorBytesMax = 64 << 10;
// In ticks of a quarter of a second.
constexpr std::uint32_t kConnectTicks = 12, kIdleTicks = 40, kStallTicks = 40;

}  // namespace

bool S3Request::HashMore() {
  if (hashed_ < plan_.source.bytes) {
    const std::size_t count = std::min<std::uint64_t>(kPieceBytes, plan_.source.bytes - hashed_);
    const std::string piece = plan_.source.read(hashed_, count);
    if (piece.size() != count) {
      Fail(absl::DataLossError("what is to be stored cannot be read"));
      return true;
    }
    sum_.Add(piece);
    hashed_ += count;
    moving_ = true;
  }
  if (hashed_ < plan_.source.bytes) return false;
  body_sha256_ = sum_.Hex();
  return true;
}

void S3Request::Send(std::shared_ptr<http::OriginConnection> connection, std::string_view head, bool reused) {
  connection_ = std::move(connection);
  reused_ = reused;
  sent_ = 0;
  status_ = 0;
  moving_ = true;
  connection_->Begin(*this, plan_.method == "HEAD");
  connection_->Write(head);
  SendMore();
}

void S3Request::SendMore() {
  // Before the connection stands, what is written is kept: the first window only.
  while (sent_ < plan_.source.bytes && status_ == 0 && connection_->queued() < kWindowBytes) {
    const std::size_t count = std::min<std::uint64_t>(kPieceBytes, plan_.source.bytes - sent_);
    const std::string piece = plan_.source.read(sent_, count);
    if (piece.size() != count) return Fail(absl::DataLossError("what is to be stored cannot be read"));
    connection_->Write(piece);
    sent_ += count;
    if (!connection_->connected()) break;
    // When the kernel takes everything at once, nobody calls.
    if (connection_->queued() >= kWindowBytes) connection_->Push();
  }
  connection_->Push();
}

void S3Request::OnRequestDrained() {
  moving_ = true;
  SendMore();
}

void S3Request::Fail(const absl::Status& status) {
  if (!is_over_) End(status, false);
}

void S3Request::OnTick(Time now) {
  if (is_over_) return;
  const auto keep = shared_from_this();
  if (began_ == InfiniteFuture()) began_ = now;
  if (std::exchange(moving_, false) || moved_ == InfiniteFuture() || paused()) moved_ = now;
  if (connection_ != nullptr) connection_->OnTick(kConnectTicks, kIdleTicks, kStallTicks);
  if (is_over_) return;
  // What was written before the connection stood may have gone out at once: then nobody calls for more.
  if (connection_ != nullptr && connection_->connected() && status_ == 0 && connection_->queued() == 0)
    SendMore();
  if (is_over_) return;
  if (now - moved_ > kSilenceMax) return Fail(absl::UnavailableError("it does not answer in time"));
  // A client that reads slowly may take as long as it likes.
  const double bytes = static_cast<double>(plan_.source.bytes);
  if (plan_.sink == nullptr && now - began_ > kCallMax + Seconds(bytes / kSlowestBytesPerS))
    Fail(absl::UnavailableError("it is too slow"));
}

void S3Request::Pause() {
  if (connection_ != nullptr) connection_->PauseResponse();
}

void S3Request::Resume() {
  moving_ = true;
  if (connection_ != nullptr && connection_->response_paused()) connection_->ResumeResponse();
}

void S3Request::Abandon() {
  if (std::exchange(is_over_, true)) return;
  const auto keep = shared_from_this();
  if (connection_ != nullptr) connection_->Abandon();
  ended_ = {};
  over_(keep, absl::OkStatus(), nullptr);
}

// ---- the answer ----

void S3Request::OnResponseHead(const http::Head& head) {
  moving_ = true;
  status_ = head.status;
  answer_.length = head.framing == http::Framing::kLength ? head.length : 0;
  if (plan_.method == "HEAD") {
    // The answer to HEAD has no body, but says how long it would be.
    std::uint64_t length = 0;
    if (absl::SimpleAtoi(AbslView(head.Value("Content-Length")), &length)) answer_.length = length;
  }
  if (plan_.sink != nullptr && IsGood()) {
    // A server that ignores a range would send other bytes than were asked for.
    const bool whole = head.framing == http::Framing::kLength && head.length == plan_.expected;
    if (!whole || (!plan_.range.empty() && status_ != 206))
      return Fail(absl::DataLossError("it sends other bytes than were asked for"));
    plan_.sink->OnObjectBegin();
  }
}

void S3Request::OnResponseBody(std::string_view bytes) {
  if (is_over_) return;
  moving_ = true;
  if (plan_.sink != nullptr && IsGood()) {
    came_ += bytes.size();
    return plan_.sink->OnObjectBytes(bytes);
  }
  const std::size_t most = IsGood() ? plan_.collected_max : kErrorBytesMax;
  if (answer_.body.size() + bytes.size() <= most) return (void)answer_.body.append(bytes);
  Fail(IsGood() ? absl::FailedPreconditionError("the object is larger than anything that is put there")
                : ErrorOf(status_, ""));
}

absl::Status S3Request::Verdict() const {
  if (!IsGood()) return ErrorOf(status_, answer_.body);
  if (plan_.sink != nullptr && came_ != plan_.expected)
    return absl::UnavailableError("the object was cut off");
  return absl::OkStatus();
}

void S3Request::OnResponseEnd() {
  if (is_over_) return;
  End(Verdict(), sent_ == plan_.source.bytes);
}

void S3Request::OnExchangeBroken(bool, std::string_view why) {
  if (is_over_) return;
  connection_.reset();
  if (status_ == 0 && std::exchange(reused_, false) && again) return again();
  const bool answered = status_ != 0 && !IsGood();
  End(answered ? Verdict() : absl::UnavailableError(absl::StrCat("the connection broke: ", AbslView(why))),
      false);
}

void S3Request::End(const absl::Status& status, bool reusable) {
  const auto keep = shared_from_this();
  is_over_ = true;
  auto connection = std::exchange(connection_, nullptr);
  if (connection != nullptr && !reusable) connection->Abandon();
  const Ended ended = std::exchange(ended_, {});
  again = {};
  over_(keep, status, reusable ? std::move(connection) : nullptr);
  if (plan_.sink != nullptr) plan_.sink->OnObjectEnd(status);
  if (ended) ended(status, answer_);
}

}  // namespace ringway::gateway::objects
