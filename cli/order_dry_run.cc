#include "cli/order_dry_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/dry_run_view.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

constexpr char kActive[] = "active";

// The tiers that the order is of, one dry run each. Empty names the only one.
absl::StatusOr<std::vector<std::string>> TiersOf(AdminClient& admin, const v1::DryRunRequest& asked) {
  if (!asked.tier().empty() || !asked.has_drain_order()) return std::vector<std::string>{asked.tier()};
  const auto status = admin.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!status.ok()) return status.status();
  std::vector<std::string> tiers;
  for (const v1::TierStatus& tier : status->tiers()) tiers.push_back(tier.tier());
  return tiers;
}

absl::StatusOr<std::vector<v1::DryRunReply>> AskEach(AdminClient& admin, v1::DryRunRequest asked) {
  const auto tiers = TiersOf(admin, asked);
  if (!tiers.ok()) return tiers.status();
  std::vector<v1::DryRunReply> replies;
  for (const std::string& tier : *tiers) {
    asked.set_tier(tier);
    absl::StatusOr<v1::DryRunReply> reply = admin.Call(&v1::Admin::Stub::DryRun, asked);
    if (!reply.ok()) return reply.status();
    if (reply->message().empty()) {
      return absl::UnimplementedError(
          "the controller is of an older release: it cannot tell what an order would do; `ringway whatif` "
          "asks about settings");
    }
    replies.push_back(*std::move(reply));
  }
  if (replies.empty()) return absl::NotFoundError("the controller has no tiers");
  return replies;
}

void PrintJson(Session& session, const std::vector<v1::DryRunReply>& replies) {
  JsonWriter json;
  json.BeginObject().Key("tiers").BeginArray();
  for (const v1::DryRunReply& reply : replies) json.Raw(MessageJson(reply));
  json.End().End();
  session.out << json.text() << "\n";
}

std::string TierName(const v1::DryRunReply& reply) {
  return reply.table().tiers_size() > 0 ? reply.table().tiers(0).tier() : "";
}

}  // namespace

std::shared_ptr<const DryRunChoice> AddDryRunOption(flags::Command command) {
  const auto choice = std::make_shared<DryRunChoice>();
  const flags::Option dry =
      command.AddFlag("--dry-run", choice->wanted, "show what it would do, and do nothing");
  command.AddFlag("--all", choice->all, "with --dry-run: also rows for which nobody asks now").Needs(dry);
  return choice;
}

int ShowDryRun(Session& session, v1::DryRunRequest asked, const std::vector<std::string>& names, bool all) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const auto replies = AskEach(*admin, std::move(asked));
  if (!replies.ok()) return Fail(session, admin->WithSuggestion(replies.status(), names));
  const bool refused = replies->front().refused();
  if (session.json) {
    PrintJson(session, *replies);
    return refused ? kExitNo : kExitOk;
  }
  session.out << (refused ? "it would be refused: " : "it would be answered: ") << replies->front().message()
              << "\n";
  for (const v1::DryRunReply& reply : *replies) {
    const std::string tier = TierName(reply);
    session.out << "\n" << session.Painted(absl::StrCat("tier ", tier), Style::kBold) << "\n";
    if (reply.mode() != kActive)
      session.out << "mode " << reply.mode() << ": the table stays then, until the tier is set active\n";
    session.out << DryRunText(reply, AskInForce(*admin, tier), all, session.colour);
  }
  session.out << "\nnothing was changed: it was a dry run\n";
  return refused ? kExitNo : kExitOk;
}

}  // namespace ringway::cli
