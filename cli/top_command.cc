// ringway top [--interval SECONDS] [--count N] [--once]
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/demo/interrupt.h"
#include "cli/router_calls.h"
#include "cli/top/terminal.h"
#include "cli/top/view.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

constexpr std::chrono::milliseconds kTotalsLimit(300);

struct TopOptions {
  double interval_s = 1;
  int count = 0;  // 0: until q or Ctrl-C
};

class Watcher {
 public:
  Watcher(AdminClient admin, std::string fleet_token)
      : admin_(std::move(admin)), routers_(kTotalsLimit, std::move(fleet_token)) {}

  absl::Status Look() {
    auto status = admin_.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
    if (!status.ok()) return status.status();
    frame_.status = *std::move(status);
    // A controller that has just started has no table yet.
    auto table = admin_.Call(&v1::Admin::Stub::GetTable, v1::GetTableRequest());
    frame_.table = table.ok() ? *std::move(table) : v1::RoutingTable();
    std::vector<std::string> addresses;
    for (const v1::RouterStatus& router : frame_.status.routers()) addresses.push_back(router.address());
    totals_ = routers_.Totals(addresses);
    frame_.counts = counts_.Take(totals_);
    return absl::OkStatus();
  }

  const top::Frame& frame() const { return frame_; }
  const std::string& refusal() const { return routers_.refusal(); }

  std::string Json() const {
    JsonWriter json;
    json.BeginObject().Key("status").Raw(MessageJson(frame_.status)).Key("routers").BeginArray();
    for (const v1::TotalsReply& totals : totals_) json.Raw(MessageJson(totals));
    json.End().End();
    return json.text() + "\n";
  }

 private:
  AdminClient admin_;
  RouterCalls routers_;
  top::CountsSince counts_;
  std::vector<v1::TotalsReply> totals_;
  top::Frame frame_;
};

int Show(Session& session, Watcher& watcher, const TopOptions& options, demo::Interrupt& interrupt) {
  std::optional<top::Terminal> terminal;
  if (session.terminal) terminal.emplace(session.out);
  for (int shown = 0; options.count == 0 || shown < options.count; ++shown) {
    const bool first = shown == 0;
    if (!first) {
      if (!top::WaitForNext(terminal ? &*terminal : nullptr, interrupt, Seconds(options.interval_s)))
        return kExitOk;
      const absl::Status looked = watcher.Look();
      if (!looked.ok() && !terminal) return Fail(session, looked);
      if (!looked.ok()) {  // a controller that restarts is no reason to leave the screen
        terminal->Draw({std::string(looked.message()), "trying again; q quits"});
        continue;
      }
    }
    if (terminal) {
      terminal->Draw(top::Lines(watcher.frame(), terminal->Size(session.colour)));
    } else {
      session.out << (session.json ? watcher.Json() : top::PlainLine(watcher.frame())) << std::flush;
    }
  }
  return kExitOk;
}

// The whole picture, once, as text that can be mailed.
int ShowOnce(Session& session, const Watcher& watcher) {
  if (session.json) {
    session.out << watcher.Json();
    return kExitOk;
  }
  const top::Screen screen{.width = 120, .height = 1000, .colour = session.colour};
  for (const std::string& line : top::Lines(watcher.frame(), screen)) session.out << line << "\n";
  return kExitOk;
}

int Top(Session& session, const TopOptions& options, bool once) {
  demo::Interrupt interrupt;  // before any thread starts
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  std::string fleet_token;
  if (absl::Status read = ReadFleetToken(session, fleet_token); !read.ok()) return Fail(session, read);
  Watcher watcher(*std::move(admin), std::move(fleet_token));
  if (absl::Status looked = watcher.Look(); !looked.ok()) return Fail(session, looked);
  // What the controller knows is worth a picture without the routers' waits and offers.
  if (!watcher.refusal().empty()) session.err << "ringway: " << watcher.refusal() << "\n";
  if (once) {  // waits and offers are counted between two looks
    if (!top::WaitForNext(nullptr, interrupt, Seconds(options.interval_s))) return kExitOk;
    if (absl::Status looked = watcher.Look(); !looked.ok()) return Fail(session, looked);
    return ShowOnce(session, watcher);
  }
  return Show(session, watcher, options, interrupt);
}

}  // namespace

void AddTopCommand(flags::Command app, Session& session) {
  flags::Command top = app.Subcommand("top", "a live picture: load, flows, waits and offers; q quits");
  const auto options = std::make_shared<TopOptions>();
  const auto once = std::make_shared<bool>(false);
  top.Add("--interval", options->interval_s, "seconds between two pictures").In(0.1, 3600.0).ShowDefault();
  top.Add("--count", options->count, "pictures, then it ends; 0: until q or Ctrl-C")
      .In(0, 1'000'000)
      .ShowDefault();
  top.AddFlag("--once", *once, "one whole picture as text, whatever the screen's size");
  top.OnChosen([&session, options, once] {
    session.run = [&session, options, once] { return Top(session, *options, *once); };
  });
}

}  // namespace ringway::cli
