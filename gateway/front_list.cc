// The videos API: lists of jobs, of this router or of the fleet.
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/front.h"
#include "gateway/jobs/field_error.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

std::string ValueOf(const Route& route, const char* name) {
  const auto found = route.query.find(name);
  return found == route.query.end() ? std::string() : found->second;
}

absl::StatusOr<ListQuery> ReadQuery(const Route& route) {
  ListQuery query;
  if (const std::string text = ValueOf(route, "limit"); !text.empty()) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), query.limit);
    const bool whole = failed == std::errc() && end == text.data() + text.size();
    if (!whole || query.limit < 1 || query.limit > ListQuery::kLimitMax) {
      return FieldError("limit",
                        absl::StrCat("limit is not a whole number from 1 to ", ListQuery::kLimitMax));
    }
  }
  const std::string order = ValueOf(route, "order");
  if (!order.empty() && order != "asc" && order != "desc") {
    return FieldError("order", "order is neither asc nor desc");
  }
  const std::string scope = ValueOf(route, "scope");
  if (!scope.empty() && scope != "fleet" && scope != "router") {
    return FieldError("scope", "scope is neither fleet nor router");
  }
  query.oldest_first = order == "asc";
  query.fleet = scope != "router";
  query.after = ValueOf(route, "after");
  return query;
}

ListPage OwnPage(const JobTable& table, const std::string& router, const ListQuery& query) {
  auto videos = table.List(query.after, query.limit + 1, query.oldest_first);
  ListPage page{.more = videos.size() > query.limit};
  if (page.more) videos.pop_back();
  for (const Video* video : videos) page.videos.push_back({video->id, VideoJson(*video, router)});
  return page;
}

}  // namespace

void Front::List(Exchange& exchange) {
  const auto query = ReadQuery(exchange.route);
  if (!query.ok()) return RefuseField(exchange, query.status());
  ListPage own = OwnPage(jobs_.table(), settings_.router, *query);
  if (exchange.relayed) {
    metrics_.CountRequest(exchange.route.kind, 200);
    http::ServerConnection& client = exchange.client;
    const std::string lines = exchange.fields.Lines();
    Release(client.tag);
    return client.Reply(200, "text/plain", lines, PageLines(own));
  }
  std::vector<std::string> routers;
  if (query->fleet) routers = peers_.All(settings_.region);
  exchange.stage = Exchange::Stage::kList;
  const auto tell = [this, tag = exchange.client.tag](const ListPage& page, const ListGaps& gaps) {
    if (const auto found = exchanges_.find(tag); found != exchanges_.end())
      Say(*found->second, 200, "", PageJson(page, gaps));
  };
  if (query->fleet && shared_ != nullptr) {
    exchange.shared_list = std::make_shared<SharedList>(*shared_, *query, tell);
    exchange.shared_list->Begin();
  }
  const auto hear = [this, tell, shared = exchange.shared_list](const ListPage& page, const ListGaps& gaps) {
    for (std::size_t i = 0; i < gaps.silent.size(); ++i) metrics_.CountOwnerSilent();
    if (shared == nullptr) return tell(page, gaps);
    shared->OnRouters(page, gaps, runtime::MonotonicNow());
  };
  if (routers.empty()) return hear(own, {});
  std::string request = absl::StrCat("GET ", exchange.target, " HTTP/1.1\r\nHost: ringway\r\n",
                                     std::string(kRelayedField), ": ", settings_.router, "\r\n");
  if (!exchange.authorization.empty())
    absl::StrAppend(&request, "Authorization: ", exchange.authorization, "\r\n");
  exchange.list = std::make_shared<FleetList>(peers_, *query, std::move(own), request + "\r\n", hear);
  exchange.list->Begin(std::move(routers), runtime::MonotonicNow());
}

}  // namespace ringway::gateway
