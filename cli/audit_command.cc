// ringway audit [--limit N]
#include <memory>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "core/time.h"

namespace ringway::cli {
namespace {

int Audit(Session& session, std::uint32_t limit) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  v1::AuditRequest request;
  request.set_limit(limit);
  const absl::StatusOr<v1::AuditReply> reply = admin->Call(&v1::Admin::Stub::Audit, request);
  if (!reply.ok()) return Fail(session, reply.status());
  if (session.json) {
    session.out << MessageJson(*reply);
    return kExitOk;
  }
  TextTable table({{"WHEN"}, {"WHO"}, {"WHAT"}, {"WHY"}});
  for (const v1::AuditEntry& entry : reply->entries()) {
    table.Add(
        {absl::FormatTime("%Y-%m-%d %H:%M:%SZ", FromUnixMicros(entry.at_unix_us()), absl::UTCTimeZone()),
         entry.who(), entry.action(), entry.why()});
  }
  session.out << (table.empty() ? "nobody has changed anything\n" : table.Render(session.colour));
  return kExitOk;
}

}  // namespace

void AddAuditCommand(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("audit", "who changed what, when and why");
  const auto limit = std::make_shared<std::uint32_t>(50);
  command.Add("--limit", *limit, "newest entries").In(1, 10000).ShowDefault();
  command.OnChosen([&session, limit] { session.run = [&session, limit] { return Audit(session, *limit); }; });
}

}  // namespace ringway::cli
