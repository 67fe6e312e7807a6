#include "gateway/fleet_list.h"

#include <utility>

namespace ringway::gateway {
namespace {

// In ticks of a quarter of a second; the list as a whole ends before most of them.
constexpr std::uint32_t kListConnectTicks = 3, kListIdleTicks = 80, kListStallTicks = 4;

}  // namespace

// One router's page, on its way.
class FleetList::Asking final : public http::ExchangeSink, public std::enable_shared_from_this<Asking> {
 public:
  Asking(FleetList& list, std::string name) : router(std::move(name)), list_(&list) {}

  void Try() {
    ++tries_;
    list_->peers_.Find(router, [self = shared_from_this()](const absl::StatusOr<Peers::Endpoint>& endpoint) {
      if (self->list_ == nullptr) return;
      if (endpoint.ok()) return self->TryAt(*endpoint);
      if (absl::IsFailedPrecondition(endpoint.status())) return self->End(ListPage());  // it serves no API
      self->End(std::nullopt);
    });
  }
  void OnTick() {
    if (connection_ != nullptr) connection_->OnTick(kListConnectTicks, kListIdleTicks, kListStallTicks);
  }
  void Abandon() {
    list_ = nullptr;
    if (connection_ != nullptr) connection_->Abandon();
    connection_.reset();
    self_.reset();
  }
  bool open() const { return list_ != nullptr; }

  const std::string router;

 private:
  void TryAt(const Peers::Endpoint& endpoint) {
    lines_.clear();
    connection_ = list_->peers_.Connection(router, endpoint);
    self_ = shared_from_this();
    connection_->Begin(*this, false);
    connection_->Write(list_->request_);
    connection_->Push();
  }
  // Ends this part of the list; with nothing, the router is silent.
  void End(std::optional<ListPage> page) {
    FleetList* const list = std::exchange(list_, nullptr);
    if (page) return list->OnPage(*std::move(page));
    list->OnSilent(router);
  }

  void OnResponseHead(const http::Head& head) override { good_ = head.status == 200; }
  void OnResponseBody(std::string_view bytes) override {
    good_ = good_ && lines_.size() + bytes.size() <= kAnswerBytesMax;
    if (good_) lines_.append(bytes);
  }
  void OnResponsePart() override {}
  void OnRequestDrained() override {}
  void OnResponseEnd() override {
    const auto keep = std::exchange(self_, nullptr);
    if (!open()) return;
    list_->peers_.Return(router, std::exchange(connection_, nullptr));
    End(good_ ? ReadPageLines(lines_) : std::nullopt);
  }
  void OnExchangeBroken(bool, std::string_view) override {
    const auto keep = std::exchange(self_, nullptr);
    connection_.reset();
    if (!open()) return;
    list_->peers_.Doubt(router);
    if (tries_ < 2) return Try();
    End(std::nullopt);
  }

  FleetList* list_;  // null: this part is over
  std::shared_ptr<http::OriginConnection> connection_;
  std::shared_ptr<Asking> self_;  // while a connection may call back
  std::string lines_;
  bool good_ = false;
  int tries_ = 0;
};

FleetList::FleetList(Peers& peers, ListQuery query, ListPage own, std::string request, Done done)
    : peers_(peers), query_(std::move(query)), request_(std::move(request)), done_(std::move(done)) {
  pages_.push_back(std::move(own));
}

FleetList::~FleetList() { Abandon(); }

void FleetList::Begin(std::vector<std::string> routers, Time now) {
  if (routers.size() > kRoutersMax) {
    gaps_.not_asked = routers.size() - kRoutersMax;
    routers.resize(kRoutersMax);
  }
  give_up_ = now + kWaitMax;
  open_ = routers.size();
  for (std::string& router : routers) asking_.push_back(std::make_shared<Asking>(*this, std::move(router)));
  for (const auto& asking : asking_) asking->Try();
}

void FleetList::OnTick(Time now) {
  if (over_) return;
  const auto keep = shared_from_this();
  for (const auto& asking : asking_) {
    if (asking->open()) asking->OnTick();
  }
  if (over_ || now < give_up_) return;
  for (const auto& asking : asking_) {
    if (asking->open()) gaps_.silent.push_back(asking->router);
  }
  Finish();
}

void FleetList::Abandon() {
  over_ = true;
  for (const auto& asking : asking_) {
    if (asking->open()) asking->Abandon();
  }
}

void FleetList::OnPage(ListPage page) {
  pages_.push_back(std::move(page));
  FinishIfAll();
}

void FleetList::OnSilent(const std::string& router) {
  gaps_.silent.push_back(router);
  FinishIfAll();
}

void FleetList::FinishIfAll() {
  if (--open_ == 0 && !over_) Finish();
}

void FleetList::Finish() {
  const auto keep = shared_from_this();
  Abandon();
  done_(MergePages(std::move(pages_), query_), gaps_);
}

}  // namespace ringway::gateway
