// Reads HTTP/1.1 messages from one side of a connection: bytes in, a head and pieces of a body out.
//
// Boost.Beast's basic_parser finds the structure; this class owns the buffer that the parser's views point
// into, and refuses what two programs could read differently (RFC 9112, 6.3 and 11.2): a transfer coding
// other than "chunked", one in HTTP/1.0, a length beside it, folded lines, a second Host. Trailers are read
// and dropped. Bodies come out decoded, as they arrive; nothing is collected.
//
// One message at a time: after its end the reader stands still until Next, and what came behind it stays in
// the buffer (pipelining costs nobody memory). Bounds: buffer_bytes of head, chunk lines and trailers.
// Complexity: linear in the bytes. Threads: one owner. A sink may not touch the
// reader from within a call, but OnMessageEnd may say Next.
#ifndef RINGWAY_RUNTIME_HTTP_MESSAGE_READER_H_
#define RINGWAY_RUNTIME_HTTP_MESSAGE_READER_H_

#include <utility>  // before Boost

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/http/head.h"

namespace ringway::http {

class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void OnHead(const Head& head) = 0;
  virtual void OnBody(std::string_view bytes) = 0;  // never empty
  virtual void OnMessageEnd() = 0;
};

// Why a message cannot be read; `status` is what a server would answer.
struct ReadFault {
  int status = 0;  // 0: no fault
  std::string_view why;
  explicit operator bool() const { return status != 0; }
};

template <bool is_request>
class MessageReader {
 public:
  MessageReader(std::size_t buffer_bytes, MessageSink& sink);

  // Where the next bytes go; empty when the buffer is full (call Parse, or wait for the message's end).
  std::span<char> Room();
  // `count` bytes were written to Room.
  void Commit(std::size_t count) { end_ += count; }
  // Reads as much as there is.
  ReadFault Parse();
  // The other side has closed: ends a body that ends so. A fault if the message is incomplete.
  ReadFault ParseEnd();

  bool message_ended() const { return ended_; }
  // Some byte of the present message has been seen.
  bool message_begun() const { return begun_ || begin_ < end_; }
  bool head_read() const { return parser_->is_header_done(); }
  std::size_t unread() const { return end_ - begin_; }
  // Forgets what has been read and not been parsed.
  void Drop() { begin_ = end_ = 0; }
  // Makes ready for the next message. `without_body`: a response to HEAD has none, whatever it says.
  void Next(bool without_body = false);

 private:
  // Beast calls back through virtual functions of a base.
  class Parser final : public boost::beast::http::basic_parser<is_request> {
   public:
    using ErrorCode = boost::beast::error_code;
    using View = boost::beast::string_view;
    Parser(MessageReader& reader, bool without_body);

   private:
    void on_request_impl(boost::beast::http::verb, View method, View target, int version,
                         ErrorCode& failed) override;
    void on_response_impl(int status, View reason, int version, ErrorCode& failed) override;
    void on_field_impl(boost::beast::http::field, View name, View value, ErrorCode& failed) override;
    void on_header_impl(ErrorCode& failed) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode& failed) override;
    std::size_t on_body_impl(View bytes, ErrorCode& failed) override;
    void on_chunk_header_impl(std::uint64_t, View, ErrorCode& failed) override;
    std::size_t on_chunk_body_impl(std::uint64_t, View bytes, ErrorCode& failed) override;
    void on_finish_impl(ErrorCode& failed) override;
    MessageReader& reader_;
  };

  ReadFault FaultOf(const boost::beast::error_code& failed) const;
  ReadFault CheckHead() const;
  bool Within(std::string_view view) const;

  const std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;  // unread bytes are [begin_, end_)
  std::size_t end_ = 0;
  MessageSink& sink_;
  std::optional<Parser> parser_;
  Head head_;
  ReadFault fault_;
  bool begun_ = false;
  bool ended_ = false;
  bool chunk_cut_ = false;  // the unread bytes are the beginning of a chunk's line, or of the last chunk
};

using RequestReader = MessageReader<true>;
using ResponseReader = MessageReader<false>;

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_MESSAGE_READER_H_
