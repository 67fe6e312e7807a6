// ringway status [--routers] [--watch [SECONDS]]
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/top/terminal.h"

namespace ringway::cli {
namespace {

struct StatusOptions {
  bool routers = false;
  bool watch = false;
  double interval_s = 2;
};

absl::StatusOr<std::string> Look(AdminClient& admin, const Session& session, const StatusOptions& options) {
  const absl::StatusOr<v1::StatusReply> reply = admin.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!reply.ok()) return reply.status();
  return session.json ? MessageJson(*reply) : StatusText(*reply, options.routers, session.colour);
}

// Draws over the screen until q or Ctrl-C; where the output is no terminal, one text after the other.
int Watch(Session& session, AdminClient& admin, const StatusOptions& options, demo::Interrupt& interrupt) {
  std::optional<top::Terminal> terminal;
  if (session.terminal) terminal.emplace(session.out);
  do {
    const absl::StatusOr<std::string> text = Look(admin, session, options);
    if (!text.ok() && !terminal) return Fail(session, text.status());
    if (!terminal) {
      session.out << *text << "\n" << std::flush;
      continue;
    }
    // A controller that restarts is no reason to leave the screen.
    std::vector<std::string> lines =
        absl::StrSplit(text.ok() ? *text : std::string(text.status().message()), '\n');
    const auto height = static_cast<std::size_t>(std::max(2, terminal->Size(session.colour).height));
    if (lines.size() > height) {
      lines.resize(height - 1);
      lines.push_back("... more than the window holds; q quits");
    }
    terminal->Draw(lines);
  } while (top::WaitForNext(terminal ? &*terminal : nullptr, interrupt, absl::Seconds(options.interval_s)));
  return kExitOk;
}

int Status(Session& session, const StatusOptions& options) {
  std::optional<demo::Interrupt> interrupt;
  if (options.watch) interrupt.emplace();  // before any thread starts
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  if (options.watch) return Watch(session, *admin, options, *interrupt);
  const absl::StatusOr<std::string> text = Look(*admin, session, options);
  if (!text.ok()) return Fail(session, text.status());
  session.out << *text;
  return kExitOk;
}

}  // namespace

void AddStatusCommand(CLI::App& app, Session& session) {
  CLI::App* status = app.add_subcommand("status", "the load of every region, what is wrong, and the routers");
  const auto options = std::make_shared<StatusOptions>();
  status->add_flag("--routers", options->routers, "list every router, however many there are");
  status->add_flag("-w,--watch", options->watch, "again and again, until q or Ctrl-C");
  status->add_option("--interval", options->interval_s, "seconds between two looks of --watch")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  status->callback(
      [&session, options] { session.run = [&session, options] { return Status(session, *options); }; });
}

}  // namespace ringway::cli
