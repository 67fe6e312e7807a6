// One non-blocking TCP connection: bytes are read into room that the owner gives and sent from a queue.
//
// Sends go out at once where the kernel takes them: Send gathers, Flush makes one system call of what has
// been gathered; a large piece that finds the queue empty is sent from where it lies, without a copy. What
// the kernel does not take stays queued; OnDrained tells when less than kDrainedBelow of it is left, and when
// nothing is: whoever fills the queue stops at a window of his own (back-pressure). There is no timer here;
// the owner's sweep asks `quiet_ticks`.
//
// Invariants: after Close nothing is called any more. OnReadEnd and OnBroken come at most once, and never
// from within Send, Flush or Close. Threads: the loop's. Lifetime: shared; a pending operation keeps the
// connection.
#ifndef RINGWAY_RUNTIME_HTTP_CONNECTION_H_
#define RINGWAY_RUNTIME_HTTP_CONNECTION_H_

#include <utility>  // before Boost

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ringway::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr std::size_t kDrainedBelow = std::size_t{32} << 10;

  explicit Connection(boost::asio::io_context& io) : socket_(io) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool open() const { return open_; }
  std::size_t queued() const { return queue_.size() - sent_; }
  // Ends it at once; what is queued is lost.
  void Close();

 protected:
  using Socket = boost::asio::ip::tcp::socket;

  // Where bytes may be read to; empty: no room now, and ResumeReading is called when there is.
  virtual std::span<char> ReadRoom() = 0;
  virtual void OnRead(std::size_t count) = 0;
  // The peer sends no more; it may still read.
  virtual void OnReadEnd() = 0;
  virtual void OnBroken(std::string_view why) = 0;
  virtual void OnDrained() = 0;
  // Whether what the peer sent before it stopped taking bytes is still wanted.
  virtual bool HearsOut() const { return false; }

  // The socket is connected: from now on bytes flow.
  void Begin();
  Socket& socket() { return socket_; }
  // Heads are written in small pieces, which join the queue.
  void Send(std::string_view bytes) {
    if (!open_ || failed_) return;
    if (bytes.size() >= kDirectMin || sent_ >= kQueueKept) return SendMuch(bytes);
    queue_.append(bytes);
  }
  void Flush();
  // Reads are stopped after the one that is under way, whose bytes still come.
  void PauseReading() { paused_ = true; }
  void ResumeReading();
  bool paused() const { return paused_; }

  // Turns of the owner's clock since bytes last moved in either direction; the owner resets and counts.
  std::uint32_t quiet_ticks = 0;

 private:
  // From here on a piece is worth a system call of its own, rather than a copy.
  static constexpr std::size_t kDirectMin = std::size_t{8} << 10;
  // A queue that was long for once gives its memory back.
  static constexpr std::size_t kQueueKept = std::size_t{64} << 10;

  void Read();
  void AwaitWritable();
  void SendMuch(std::string_view bytes);
  // How much of `bytes` the kernel took.
  std::size_t SendNow(std::string_view bytes);
  void Fail();

  Socket socket_;
  std::string queue_;
  std::size_t sent_ = 0;  // of queue_
  bool open_ = false;
  bool reading_ = false;  // an operation is pending
  bool writing_ = false;
  bool paused_ = false;
  bool failed_ = false;  // a send failed: the pending read tells it
};

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_CONNECTION_H_
