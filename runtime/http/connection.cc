#include "runtime/http/connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>

namespace ringway::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

}  // namespace

void Connection::Begin() {
  ErrorCode ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  open_ = true;
  Read();
}

void Connection::Close() {
  if (!open_ && !socket_.is_open()) return;
  open_ = false;
  ErrorCode ignored;
  socket_.close(ignored);
}

void Connection::ResumeReading() {
  paused_ = false;
  Read();
}

void Connection::Read() {
  if (reading_ || !open_ || (paused_ && !failed_)) return;
  const std::span<char> room = ReadRoom();
  if (room.empty() && !failed_) return;
  reading_ = true;
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          [this, self = shared_from_this()](const ErrorCode& failed, std::size_t count) {
                            reading_ = false;
                            if (!open_) return;
                            quiet_ticks = 0;
                            const bool heard = !failed && (!failed_ || (count > 0 && HearsOut()));
                            if (!heard && (failed_ || failed != asio::error::eof)) {
                              const std::string why = failed_ ? "it takes no more bytes" : failed.message();
                              Close();
                              return OnBroken(why);
                            }
                            if (failed) return OnReadEnd();
                            OnRead(count);
                            Read();
                          });
}

void Connection::SendMuch(std::string_view bytes) {
  if (bytes.size() >= kDirectMin && !writing_) {
    Flush();
    if (queued() == 0) bytes.remove_prefix(SendNow(bytes));
  }
  if (sent_ >= kQueueKept) {
    queue_.erase(0, sent_);
    sent_ = 0;
  }
  queue_.append(bytes);
}

void Connection::Flush() {
  if (!open_ || failed_ || writing_ || queued() == 0) return;
  sent_ += SendNow({queue_.data() + sent_, queued()});
  if (queued() > 0) return AwaitWritable();
  queue_.clear();
  sent_ = 0;
  if (queue_.capacity() > kQueueKept) queue_.shrink_to_fit();
}

std::size_t Connection::SendNow(std::string_view bytes) {
  ErrorCode failed;
  const std::size_t count = socket_.send(asio::buffer(bytes.data(), bytes.size()), 0, failed);
  if (failed == asio::error::would_block || failed == asio::error::try_again) return 0;
  if (failed) {
    Fail();
    return bytes.size();  // nobody will have them
  }
  quiet_ticks = 0;
  return count;
}

// The read that is pending, or one made for it, brings the news from the top of the loop.
void Connection::Fail() {
  failed_ = true;
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  Read();
}

void Connection::AwaitWritable() {
  if (writing_ || !open_ || failed_) return;
  writing_ = true;
  socket_.async_wait(Socket::wait_write, [this, self = shared_from_this()](const ErrorCode& failed) {
    writing_ = false;
    if (!open_ || failed || failed_) return;
    const std::size_t before = queued();
    Flush();
    if (queued() == 0 || (before >= kDrainedBelow && queued() < kDrainedBelow)) OnDrained();
  });
}

}  // namespace ringway::http
