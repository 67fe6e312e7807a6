// ringway explain REGION|REQUEST_ID [--tier TIER]
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/request_trace.h"
#include "cli/router_calls.h"
#include "core/json.h"
#include "topology/spelling.h"

namespace ringway::cli {
namespace {

constexpr std::chrono::milliseconds kRouterLimit(2000);

int Show(Session& session, const v1::ExplainReply& reply, const std::string& region) {
  if (session.json) {
    session.out << MessageJson(reply);
    return kExitOk;
  }
  session.out << session.Painted(region, Style::kBold) << "\n";
  for (const std::string& line : reply.lines()) session.out << "  " << line << "\n";
  for (const std::string& finding : reply.findings()) session.out << "  finding: " << finding << "\n";
  return kExitOk;
}

int TellTrace(Session& session, const std::vector<v1::RequestTrace>& traces, const v1::StatusReply& fleet) {
  if (!session.json) {
    session.out << TraceText(traces, fleet, session.colour);
    return kExitOk;
  }
  JsonWriter json;
  json.BeginObject().Key("traces").BeginArray();
  for (const v1::RequestTrace& trace : traces) json.Raw(MessageJson(trace));
  json.End().End();
  session.out << json.text() << "\n";
  return kExitOk;
}

std::string NotFoundText(const std::string& word, const std::vector<std::string_view>& regions,
                         const std::vector<v1::TellReply>& replies) {
  std::uint64_t kept_max = 0;
  for (const v1::TellReply& reply : replies) kept_max = std::max(kept_max, reply.kept_max());
  std::string text = absl::StrCat("no region is called \"", word, "\", and none of the ", replies.size(),
                                  " routers that answer remembers a request with that id");
  if (kept_max > 0) absl::StrAppend(&text, "; each keeps its last ", kept_max);
  const std::string suggestion = DidYouMean(word, regions);
  return suggestion.empty() ? text : absl::StrCat(text, "\n", suggestion);
}

int Explain(Session& session, const v1::ExplainRequest& request) {
  const std::string& word = request.region();
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::ExplainReply> reply = admin->Call(&v1::Admin::Stub::Explain, request);
  if (reply.ok()) return Show(session, *reply, word);
  const absl::StatusOr<v1::StatusReply> status = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  // Without a controller, the one router that we know may still remember.
  std::vector<std::string> addresses = {session.router};
  std::vector<std::string_view> regions;
  if (status.ok()) {
    if (status->tiers_size() > 0) {
      for (const v1::RegionStatus& region : status->tiers(0).regions()) regions.push_back(region.region());
    }
    for (const v1::RouterStatus& router : status->routers()) {
      if (router.address() != session.router) addresses.push_back(router.address());
    }
  }
  const bool is_region = std::find(regions.begin(), regions.end(), word) != regions.end();
  if (is_region) return Fail(session, admin->WithSuggestion(reply.status(), {request.tier()}));
  std::string token;
  if (absl::Status read = ReadFleetToken(session, token); !read.ok()) return Fail(session, read);
  RouterCalls routers(kRouterLimit, std::move(token));
  const std::vector<v1::TellReply> replies = routers.Tell(addresses, word);
  const std::vector<v1::RequestTrace> traces = InOrder(replies);
  if (!traces.empty()) return TellTrace(session, traces, status.ok() ? *status : v1::StatusReply());
  if (!routers.refusal().empty()) return Fail(session, absl::PermissionDeniedError(routers.refusal()));
  if (reply.status().code() != absl::StatusCode::kNotFound) return Fail(session, reply.status());
  return Fail(session, absl::NotFoundError(NotFoundText(word, regions, replies)));
}

}  // namespace

void AddExplainCommand(flags::Command app, Session& session) {
  flags::Command explain =
      app.Subcommand("explain", "why a region's traffic goes where it goes, or what became of one request");
  const auto request = std::make_shared<v1::ExplainRequest>();
  explain
      .AddText(
          "REGION_OR_REQUEST", [request](const std::string& word) { request->set_region(word); },
          "a source region, or the id that the answer to a request carried")
      .Required();
  explain.AddText(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "of a region; needed if there are several");
  explain.OnChosen(
      [&session, request] { session.run = [&session, request] { return Explain(session, *request); }; });
}

}  // namespace ringway::cli
