#include "cli/watch.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "cli/admin_client.h"
#include "cli/demo/interrupt.h"
#include "cli/top/terminal.h"
#include "cli/when.h"

namespace ringway::cli {
namespace {

constexpr double kIntervalMin_s = 0.1;
constexpr double kIntervalMax_s = 3600;

void DrawOver(top::Terminal& terminal, const std::string& text, bool colour) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto height = static_cast<std::size_t>(std::max(2, terminal.Size(colour).height));
  if (lines.size() > height) {
    lines.resize(height - 1);
    lines.push_back("... more than the window holds; q quits");
  }
  terminal.Draw(lines);
}

int Again(Session& session, const WatchChoice& choice, const Look& look, demo::Interrupt& interrupt) {
  std::optional<top::Terminal> terminal;
  if (session.terminal) terminal.emplace(session.out);
  std::optional<std::string> before;
  do {
    absl::StatusOr<std::string> text = look();
    if (terminal) {
      DrawOver(*terminal, text.ok() ? *text : std::string(text.status().message()), session.colour);
      continue;
    }
    if (!text.ok()) return Fail(session, text.status());
    if (before == *text) continue;
    if (!session.json) session.out << (before ? "\n" : "") << WhenText(absl::Now()) << "\n";
    session.out << *text << std::flush;
    before = *std::move(text);
  } while (top::WaitForNext(terminal ? &*terminal : nullptr, interrupt, Seconds(choice.interval_s)));
  return kExitOk;
}

}  // namespace

std::shared_ptr<WatchChoice> AddWatchOption(flags::Command command) {
  const auto choice = std::make_shared<WatchChoice>();
  command
      .AddText(
          "-w,--watch",
          [choice](const std::string& seconds) {
            choice->wanted = true;
            if (seconds.empty()) return;
            if (!absl::SimpleAtod(seconds, &choice->interval_s) ||
                !(choice->interval_s >= kIntervalMin_s && choice->interval_s <= kIntervalMax_s)) {
              flags::Refuse("--watch", absl::StrCat("found \"", seconds, "\"; allowed: seconds from ",
                                                    kIntervalMin_s, " to ", kIntervalMax_s));
            }
          },
          "again and again, every so many seconds, until q or Ctrl-C")
      .Values(0, 1)
      .TypeName("SECONDS")
      .DefaultText(absl::StrCat(choice->interval_s));  // what --watch alone means
  return choice;
}

int Watch(Session& session, const WatchChoice& choice, const Look& look) {
  std::optional<demo::Interrupt> interrupt;
  if (choice.wanted) interrupt.emplace();  // before any thread starts
  if (choice.wanted) return Again(session, choice, look, *interrupt);
  const absl::StatusOr<std::string> text = look();
  if (!text.ok()) return Fail(session, text.status());
  session.out << *text;
  return kExitOk;
}

int WatchController(Session& session, const WatchChoice& choice, const AdminLook& look) {
  std::optional<AdminClient> admin;
  return Watch(session, choice, [&]() -> absl::StatusOr<std::string> {
    if (!admin) {
      absl::StatusOr<AdminClient> made = AdminClient::Connect(session);
      if (!made.ok()) return made.status();
      admin.emplace(*std::move(made));
    }
    return look(*admin);
  });
}

std::string LookNote(Session& session, const WatchChoice& choice, const std::string& note) {
  if (note.empty()) return "";
  if (!choice.wanted) {
    session.err << "ringway: " << note << "\n";
    return "";
  }
  return session.json ? "" : note + "\n";  // a watch's documents are JSON alone
}

// Text in JSON has no line breaks of its own, so each one is between values.
std::string LookJson(std::string_view json, const WatchChoice& choice) {
  std::string text;
  bool indents = false;
  for (const char c : json) {
    indents = choice.wanted && (c == '\n' || (indents && c == ' '));
    if (!indents) text.push_back(c);
  }
  return text + "\n";
}

std::string LookJson(const google::protobuf::Message& message, const WatchChoice& choice) {
  return choice.wanted ? MessageJson(message, true) + "\n" : MessageJson(message);
}

}  // namespace ringway::cli
