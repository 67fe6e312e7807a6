// The calls that change something: signed with the operator's name, answered with one sentence.
//
// Every such request has a field `by`; this fills in who, sends it, prints the controller's sentence (or the
// reply as JSON), and gives the exit code: 0 when the controller did it, 1 when it says that it did not.
//
// Threads: one owner; blocks for at most the client's call limit.
#ifndef RINGWAY_CLI_OPERATOR_ACTION_H_
#define RINGWAY_CLI_OPERATOR_ACTION_H_

#include "absl/strings/ascii.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "core/time.h"

namespace ringway::cli {

// The names that could be misspelt.
template <class Request>
std::vector<std::string> NamesIn(const Request& request) {
  std::vector<std::string> names;
  if constexpr (requires { request.tier(); }) names.push_back(request.tier());
  if constexpr (requires { request.region(); }) names.push_back(request.region());
  if constexpr (requires { request.regions(); })
    names.insert(names.end(), request.regions().begin(), request.regions().end());
  return names;
}

template <class Request>
int RunAction(Session& session,
              grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&, v1::ActionReply*),
              Request request) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  request.mutable_by()->set_who(OperatorName());
  const absl::StatusOr<v1::ActionReply> reply = admin->Call(method, request);
  if (!reply.ok()) return Fail(session, admin->WithSuggestion(reply.status(), NamesIn(request)));
  session.out << (session.json ? MessageJson(*reply) : reply->message() + "\n");
  if (!reply->done()) {
    // Names that do not exist are the commonest reason.
    const absl::Status hint = admin->WithSuggestion(absl::NotFoundError(""), NamesIn(request));
    if (!hint.message().empty())
      session.err << "ringway: " << absl::StripAsciiWhitespace(hint.message()) << "\n";
  }
  return reply->done() ? kExitOk : kExitNo;
}

// --for: how long the order counts.
template <class Request>
void AddTermOption(flags::Command command, const std::shared_ptr<Request>& request) {
  command.Add("--for", "after this long the order reverts by itself, for example 30m or 2h30m")
      .Check([request](std::string& text) -> std::string {
        Duration lasts;
        if (!ParseDuration(text, &lasts) || lasts <= ZeroDuration() || lasts == InfiniteDuration()) {
          return "found \"" + text + "\"; allowed: a length of time, for example 90s, 30m or 2h30m";
        }
        request->set_for_s(ToDoubleSeconds(lasts));
        return "";
      });
}

template <class Request>
void AddWhyOption(flags::Command command, const std::shared_ptr<Request>& request) {
  command.AddText(
      "--why", [request](const std::string& why) { request->mutable_by()->set_why(why); },
      "reason, for the audit log");
}

// --why and --tier, which all orders to tiers have.
template <class Request>
void AddActionOptions(flags::Command command, const std::shared_ptr<Request>& request) {
  AddWhyOption(command, request);
  command.AddText(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "needed if there are several (drains without it: all tiers)");
}

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_OPERATOR_ACTION_H_
