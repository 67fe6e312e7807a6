// ringway explain REGION [--tier TIER]
#include <memory>

#include "cli/admin_client.h"
#include "cli/commands.h"

namespace ringway::cli {
namespace {

int Explain(Session& session, const v1::ExplainRequest& request) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::ExplainReply> reply = admin->Call(&v1::Admin::Stub::Explain, request);
  if (!reply.ok()) return Fail(session, reply.status());
  if (session.json) {
    session.out << MessageJson(*reply);
    return kExitOk;
  }
  session.out << session.Painted(request.region(), Style::kBold) << "\n";
  for (const std::string& line : reply->lines()) session.out << "  " << line << "\n";
  for (const std::string& finding : reply->findings()) session.out << "  finding: " << finding << "\n";
  return kExitOk;
}

}  // namespace

void AddExplainCommand(CLI::App& app, Session& session) {
  CLI::App* explain = app.add_subcommand("explain", "why a region's traffic goes where it goes");
  const auto request = std::make_shared<v1::ExplainRequest>();
  explain
      ->add_option_function<std::string>(
          "REGION", [request](const std::string& region) { request->set_region(region); }, "source region")
      ->required();
  explain->add_option_function<std::string>(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "needed if there are several");
  explain->callback(
      [&session, request] { session.run = [&session, request] { return Explain(session, *request); }; });
}

}  // namespace ringway::cli
