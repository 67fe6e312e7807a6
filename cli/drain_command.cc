// ringway drain REGION, ringway undrain REGION
#include <memory>

#include "cli/admin_client.h"
#include "cli/commands.h"

namespace ringway::cli {
namespace {

int Drain(Session& session, v1::DrainRegionRequest request) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  request.mutable_by()->set_who(OperatorName());
  const absl::StatusOr<v1::ActionReply> reply = admin->Call(&v1::Admin::Stub::Drain, request);
  if (!reply.ok()) return Fail(session, reply.status());
  session.out << (session.json ? MessageJson(*reply) : reply->message() + "\n");
  return reply->done() ? kExitOk : kExitNo;
}

void AddOne(CLI::App& app, Session& session, bool drain) {
  CLI::App* command = drain ? app.add_subcommand("drain", "move a region's traffic away, at the guard's pace")
                            : app.add_subcommand("undrain", "give a drained region its traffic back");
  const auto request = std::make_shared<v1::DrainRegionRequest>();
  request->set_drain(drain);
  command
      ->add_option_function<std::string>(
          "REGION", [request](const std::string& region) { request->set_region(region); }, "region")
      ->required();
  command->add_option_function<std::string>(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); }, "only this tier");
  command->add_option_function<std::string>(
      "--why", [request](const std::string& why) { request->mutable_by()->set_why(why); },
      "reason, for the audit log");
  command->callback(
      [&session, request] { session.run = [&session, request] { return Drain(session, *request); }; });
}

}  // namespace

void AddDrainCommands(CLI::App& app, Session& session) {
  AddOne(app, session, true);
  AddOne(app, session, false);
}

}  // namespace ringway::cli
