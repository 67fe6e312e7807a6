// The controller's HTTP door: the dashboard's files, its documents and live stream, and the pages for probes.
//
// Files and pages are answered here; documents and orders are posted to the control loop, which answers
// through this object's own loop. When the control loop's inbox is more than half full they are refused with
// 503, so that screens never crowd out routers. Who may ask what is decided in web_access.h; what a path
// means in web_calls.h.
//
// Invariants: every request gets one response; an answer for a client that has left is dropped. Every
// response of the dashboard carries the same protective fields (no foreign content, no framing, no sniffing,
// no referrer). Bounds: kBodyMax of a body, one exchange a connection. Threads: the web loop's, but Publish
// and feed().watched().
#ifndef RINGWAY_CONTROLLER_DAEMON_WEB_FRONT_H_
#define RINGWAY_CONTROLLER_DAEMON_WEB_FRONT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controller/daemon/live_feed.h"
#include "controller/daemon/web_access.h"
#include "controller/daemon/web_calls.h"
#include "runtime/event_loop.h"
#include "runtime/http/server_connection.h"
#include "runtime/page.h"

namespace ringway::controller {

class WebFront final : public http::Application {
 public:
  static constexpr std::size_t kBodyMax = std::size_t{64} << 10;
  using Pages = std::map<std::string, runtime::Page, std::less<>>;

  // `pages` need no access check. `loop` is the one that serves; `screen` lives on the control loop.
  WebFront(runtime::EventLoop& loop, Dashboard& screen, WebAccess access, Pages pages);

  const LiveFeed& feed() const { return feed_; }
  // From any thread.
  void Publish(LiveFeed::Frame frame);

 private:
  // A request that has not been answered yet.
  struct Exchange {
    http::ServerConnection* client = nullptr;
    WebPost post = WebPost::kNone;
    std::string body;
  };

  void OnRequest(http::ServerConnection& client, const http::Head& head) override;
  void OnRequestBody(http::ServerConnection& client, std::string_view bytes) override;
  void OnRequestEnd(http::ServerConnection& client) override;
  void OnClientGone(http::ServerConnection& client) override;
  void OnClientDrained(http::ServerConnection& client) override;

  void Get(http::ServerConnection& client, const http::Head& head);
  void GetDocument(http::ServerConnection& client, const http::Head& head);
  void Post(http::ServerConnection& client, const http::Head& head);
  void Watch(http::ServerConnection& client, const http::Head& head);
  bool GetFile(http::ServerConnection& client, const http::Head& head);
  // The ability of this page, for a client that may not have shown a token yet.
  std::string AbilityDocument() const;
  // Lets the control loop answer.
  void Ask(http::ServerConnection& client, WebCall call);
  void Answer(std::uint64_t tag, const absl::StatusOr<std::string>& json);
  static void Reply(http::ServerConnection& client, int status, std::string_view type, std::string_view cache,
                    std::string_view body);
  static void Refuse(http::ServerConnection& client, int status, std::string_view why);
  static void BeginHead(http::ServerConnection& client, int status, std::string_view type);

  runtime::EventLoop& loop_;
  Dashboard& screen_;
  const WebAccess access_;
  const Pages pages_;
  LiveFeed feed_;
  std::map<std::uint64_t, Exchange> exchanges_;  // by tag of the client's exchange
  std::uint64_t next_tag_ = 1;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_WEB_FRONT_H_
