#include "runtime/http_server.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/event_loop.h"
#include "runtime/http/listener.h"

namespace ringway::runtime {
namespace {

constexpr Duration kIdleMax = Seconds(15);
constexpr std::string_view kUncached = "Cache-Control: no-store\r\n";
constexpr std::string_view kText = "text/plain; charset=utf-8";

using Pages = std::map<std::string, HttpServer::Page>;

class PageApplication final : public http::Application {
 public:
  explicit PageApplication(Pages pages) : pages_(std::move(pages)) {}

  void OnRequest(http::ServerConnection& client, const http::Head& head) override {
    if (head.method != "GET" && head.method != "HEAD") {
      return client.Reply(405, kText, kUncached, "only GET and HEAD\n");
    }
    const auto page = pages_.find(std::string(head.target.substr(0, head.target.find('?'))));
    if (page == pages_.end()) {
      std::string known;
      for (const auto& [name, unused] : pages_) absl::StrAppend(&known, " ", name);
      return client.Reply(404, kText, kUncached, absl::StrCat("no such page; there are:", known, "\n"));
    }
    const HttpReply reply = page->second();
    client.Reply(reply.status, reply.content_type, kUncached, reply.body);
  }
  // A page is answered at once: no exchange is open when any of these could happen, but an upload to a page.
  void OnRequestBody(http::ServerConnection&, std::string_view) override {}
  void OnRequestEnd(http::ServerConnection&) override {}
  void OnClientGone(http::ServerConnection&) override {}
  void OnClientDrained(http::ServerConnection&) override {}

 private:
  const Pages pages_;
};

}  // namespace

struct HttpServer::State {
  State(const std::string& listen, Pages pages)
      : application(std::move(pages)),
        loop("http"),
        listener(loop, {.listen = listen, .connections_max = kConnectionsMax, .idle_timeout = kIdleMax},
                 application) {}
  ~State() { loop.Stop(); }

  PageApplication application;
  EventLoop loop;
  http::Listener listener;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;
const std::string& HttpServer::address() const { return state_->listener.address(); }

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& listen,
                                                              std::map<std::string, Page> pages) {
  auto state = std::make_unique<State>(listen, std::move(pages));
  if (absl::Status listens = state->listener.Listen(); !listens.ok()) return listens;
  state->loop.Start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

}  // namespace ringway::runtime
