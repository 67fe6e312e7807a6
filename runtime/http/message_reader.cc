#include "runtime/http/message_reader.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <limits>

#include "runtime/http/target.h"

namespace ringway::http {
namespace {

namespace beast = boost::beast;
using Error = beast::http::error;

std::string_view Std(beast::string_view view) { return {view.data(), view.size()}; }

// A last chunk with its closing line, as short as it can be.
constexpr std::size_t kLastChunkBytes = 5;

// Set when a callback has found the fault itself; Parse looks at fault_ then.
void Stop(beast::error_code& failed) { failed = Error::bad_value; }

}  // namespace

// ---- Beast's callbacks ----

template <bool is_request>
MessageReader<is_request>::Parser::Parser(MessageReader& reader, bool without_body) : reader_(reader) {
  this->header_limit(static_cast<std::uint32_t>(reader.capacity_));
  // Streamed: its bound is the flow, not its size. (boost::none would refuse every length: Beast 1.74
  // compares with the optional itself.)
  this->body_limit(std::numeric_limits<std::uint64_t>::max());
  this->eager(true);
  if (without_body) this->skip(true);
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_request_impl(beast::http::verb, View method, View target,
                                                        int version, ErrorCode&) {
  reader_.head_.method = Std(method);
  reader_.head_.target = Std(target);
  reader_.head_.minor_version = version - 10;
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_response_impl(int status, View reason, int version, ErrorCode&) {
  reader_.head_.status = status;
  reader_.head_.reason = Std(reason);
  reader_.head_.minor_version = version - 10;
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_field_impl(beast::http::field, View name, View value,
                                                      ErrorCode& failed) {
  if (this->is_header_done()) return;  // a trailer
  if (reader_.head_.fields.size() == kFieldsMax) {
    reader_.fault_ = {431, "too many header fields"};
    return Stop(failed);
  }
  // Beast unfolds into memory of its own, which is gone when this returns.
  if (!value.empty() && !reader_.Within(Std(value))) {
    reader_.fault_ = {400, "a folded header line"};
    return Stop(failed);
  }
  reader_.head_.fields.push_back({Std(name), Std(value)});
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_header_impl(ErrorCode& failed) {
  Head& head = reader_.head_;
  head.keep_alive = this->keep_alive();
  if (const auto length = this->content_length()) head.length = *length;
  if (this->is_done()) {
    head.framing = Framing::kNone;  // also a response to HEAD, which tells the length it would have had
  } else if (this->chunked()) {
    head.framing = Framing::kChunked;
  } else {
    head.framing = this->need_eof() ? Framing::kToClose : Framing::kLength;
  }
  head.expects_continue = is_request && SameName(head.Value("Expect"), "100-continue");
  if (reader_.fault_ = reader_.CheckHead(); reader_.fault_) return Stop(failed);
  if (is_request && !ResolveTarget(head)) {
    reader_.fault_ = {400, "a request target in absolute form without a good host"};
    return Stop(failed);
  }
  reader_.sink_.OnHead(head);
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) {
}

template <bool is_request>
std::size_t MessageReader<is_request>::Parser::on_body_impl(View bytes, ErrorCode&) {
  if (!bytes.empty()) reader_.sink_.OnBody(Std(bytes));
  return bytes.size();
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_chunk_header_impl(std::uint64_t, View, ErrorCode&) {}

template <bool is_request>
std::size_t MessageReader<is_request>::Parser::on_chunk_body_impl(std::uint64_t, View bytes, ErrorCode&) {
  if (!bytes.empty()) reader_.sink_.OnBody(Std(bytes));
  return bytes.size();
}

template <bool is_request>
void MessageReader<is_request>::Parser::on_finish_impl(ErrorCode&) {
  reader_.ended_ = true;
}

// ---- the reader ----

template <bool is_request>
MessageReader<is_request>::MessageReader(std::size_t buffer_bytes, MessageSink& sink)
    : capacity_(buffer_bytes), buffer_(new char[buffer_bytes]), sink_(sink) {
  Next();
}

template <bool is_request>
void MessageReader<is_request>::Next(bool without_body) {
  parser_.emplace(*this, without_body);
  head_.Clear();
  fault_ = {};
  begun_ = ended_ = chunk_cut_ = false;
}

template <bool is_request>
bool MessageReader<is_request>::Within(std::string_view view) const {
  return view.data() >= buffer_.get() && view.data() + view.size() <= buffer_.get() + capacity_;
}

template <bool is_request>
std::span<char> MessageReader<is_request>::Room() {
  // Views of a half-read head point into the buffer: until it is whole nothing may move.
  if (begin_ == end_ && (!begun_ || head_read())) {
    begin_ = end_ = 0;
  } else if (end_ == capacity_ && head_read() && begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

template <bool is_request>
ReadFault MessageReader<is_request>::Parse() {
  if (ended_ || begin_ == end_) return {};
  // A head that begins behind an earlier message gets the whole buffer. Blank lines before it are forgiven.
  if (!begun_ && begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (!begun_ && begin_ < end_ && (buffer_[begin_] == '\r' || buffer_[begin_] == '\n')) ++begin_;
  if (begin_ == end_) return {};
  // Beast 1.74 asserts that a last chunk of which it has seen the first line comes back whole: "0\r\n" and
  // then one byte more, however they were cut, would end the process. No message ends in fewer bytes.
  if (chunk_cut_ && unread() < kLastChunkBytes) return {};
  begun_ = true;
  beast::error_code failed;
  begin_ += parser_->put({buffer_.get() + begin_, end_ - begin_}, failed);
  if (ended_) {
    sink_.OnMessageEnd();
    return {};
  }
  chunk_cut_ = failed == Error::need_more && head_read();
  if (failed == Error::need_more) {
    // A line of a chunk or a trailer that fills the buffer alone will never end.
    const bool stuck = end_ == capacity_ && (begin_ == 0 || !head_read());
    if (stuck) return {head_read() ? 400 : 431, "the header, or a chunk's line, is too long"};
    return {};
  }
  if (failed) return FaultOf(failed);
  return {};
}

template <bool is_request>
ReadFault MessageReader<is_request>::ParseEnd() {
  if (ended_) return {};
  if (!begun_) return {400, "closed before the message began"};
  beast::error_code failed;
  parser_->put_eof(failed);
  if (failed) return {400, "closed in the middle of a message"};
  if (ended_) sink_.OnMessageEnd();
  return {};
}

template <bool is_request>
ReadFault MessageReader<is_request>::FaultOf(const beast::error_code& failed) const {
  if (fault_) return fault_;
  if (failed == Error::header_limit) return {431, "the header is too long"};
  if (failed == Error::bad_version) return {505, "not HTTP/1.0 or HTTP/1.1"};
  if (failed == Error::bad_method || failed == Error::bad_target) return {400, "a malformed request line"};
  if (failed == Error::bad_content_length) return {400, "a Content-Length that is wrong or stands twice"};
  if (failed == Error::bad_transfer_encoding) {
    return {400, "a Transfer-Encoding twice or beside a Content-Length"};
  }
  if (failed == Error::bad_chunk || failed == Error::bad_chunk_extension) return {400, "a malformed chunk"};
  return {400, "a malformed header"};
}

template <bool is_request>
ReadFault MessageReader<is_request>::CheckHead() const {
  int hosts = 0;
  bool coded = false;
  for (const Field& field : head_.fields) {
    if (SameName(field.name, "Host")) ++hosts;
    if (!SameName(field.name, "Transfer-Encoding")) continue;
    if (!SameName(field.value, "chunked")) return {501, "a transfer coding other than chunked"};
    coded = true;
  }
  if (coded && head_.minor_version == 0) return {400, "a Transfer-Encoding in HTTP/1.0"};
  if (coded && head_.Find("Content-Length") != nullptr) {
    return {400, "a Transfer-Encoding beside a Content-Length"};
  }
  if (is_request && hosts > 1) return {400, "more than one Host"};
  if (is_request && hosts == 0 && head_.minor_version == 1) return {400, "no Host"};
  return {};
}

template class MessageReader<true>;
template class MessageReader<false>;

}  // namespace ringway::http
