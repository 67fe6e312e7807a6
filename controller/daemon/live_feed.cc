#include "controller/daemon/live_feed.h"

#include <utility>

namespace ringway::controller {

void LiveFeed::Add(http::ServerConnection& client) {
  // Browsers wait so long before they connect again.
  client.SendBody("retry: 1000\n\n");
  bool& behind = watchers_[&client];
  watched_ = true;
  SendTo(client, behind);
}

bool LiveFeed::Remove(http::ServerConnection& client) {
  const bool watcher = watchers_.erase(&client) > 0;
  watched_ = !watchers_.empty();
  return watcher;
}

void LiveFeed::Drained(http::ServerConnection& client) {
  const auto watcher = watchers_.find(&client);
  if (watcher != watchers_.end() && watcher->second) SendTo(client, watcher->second);
}

void LiveFeed::Send(Frame frame) {
  newest_ = std::move(frame);
  for (auto& [client, behind] : watchers_) SendTo(*client, behind);
}

void LiveFeed::SendTo(http::ServerConnection& client, bool& behind) {
  behind = client.queued() > kQueuedMax;
  if (behind) return;
  if (newest_ != nullptr) client.SendBody(*newest_);
  client.Push();
}

}  // namespace ringway::controller
