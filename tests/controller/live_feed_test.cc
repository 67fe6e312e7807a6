// A watcher that does not read costs a bounded queue, and sees the newest state when it reads again.
#include "controller/daemon/live_feed.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "runtime/http/listener.h"
#include "tests/controller/raw_http.h"
#include "tests/live/eventually.h"

namespace ringway::controller {
namespace {

// Every request watches.
class Watched final : public http::Application {
 public:
  void OnRequest(http::ServerConnection& client, const http::Head&) override {
    client.BeginResponse(200, "OK");
    client.EndHead(http::Framing::kChunked);
    feed.Add(client);
    watcher = &client;
  }
  void OnRequestBody(http::ServerConnection&, std::string_view) override {}
  void OnRequestEnd(http::ServerConnection&) override {}
  void OnClientGone(http::ServerConnection& client) override { feed.Remove(client); }
  void OnClientDrained(http::ServerConnection& client) override { feed.Drained(client); }

  LiveFeed feed;
  http::ServerConnection* watcher = nullptr;
};

class LiveFeedTest : public ::testing::Test {
 protected:
  LiveFeedTest() : loop_("test"), server_(loop_, {.listen = "127.0.0.1:0"}, app_) {
    EXPECT_TRUE(server_.Listen().ok());
    loop_.Start();
  }
  ~LiveFeedTest() override { loop_.Stop(); }
  void Send(const std::string& text) {
    sent_ = false;
    ASSERT_TRUE(loop_.Post([this, text] {
      app_.feed.Send(std::make_shared<const std::string>(text));
      queued_max_ = std::max(queued_max_, app_.watcher->queued());
      sent_ = true;
    }));
    ASSERT_TRUE(live::Eventually([this] { return sent_.load(); }));
  }

  Watched app_;
  runtime::EventLoop loop_;
  http::Listener server_;
  std::atomic<bool> sent_{false};
  std::size_t queued_max_ = 0;
};

TEST_F(LiveFeedTest, WhoReadsGetsEveryFrameAndTheFeedKnowsItIsWatched) {
  EXPECT_FALSE(app_.feed.watched());
  {
    RawHttp watcher(server_.address());
    watcher.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(watcher.ReadUntil("retry: 1000\n\n"));
    EXPECT_TRUE(app_.feed.watched());
    for (int i = 0; i < 20; ++i) {
      Send(absl::StrCat("data: frame ", i, "\n\n"));
      ASSERT_TRUE(watcher.ReadUntil(absl::StrCat("data: frame ", i, "\n\n")));
    }
  }
  EXPECT_TRUE(live::Eventually([this] { return !app_.feed.watched(); }));
}

TEST_F(LiveFeedTest, WhoDoesNotReadCostsABoundedQueueAndThenSeesTheNewest) {
  constexpr int kFrames = 400;
  const std::string padding(64 << 10, '.');
  RawHttp watcher(server_.address(), 16 << 10);
  watcher.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(live::Eventually([this] { return app_.feed.watched(); }));
  for (int i = 0; i < kFrames; ++i) Send(absl::StrCat("data: frame ", i, " ", padding, "\n\n"));
  EXPECT_LE(queued_max_, LiveFeed::kQueuedMax + padding.size() + 1024);
  ASSERT_TRUE(watcher.ReadUntil(absl::StrCat("data: frame ", kFrames - 1, " "))) << "the newest must come";
  EXPECT_LT(watcher.got().size(), kFrames * padding.size() / 2) << "most of the old ones must not";
}

}  // namespace
}  // namespace ringway::controller
