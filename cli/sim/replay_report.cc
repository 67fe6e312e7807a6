#include "cli/sim/replay_report.h"

#include "absl/strings/str_format.h"
#include "core/json.h"

namespace ringway::cli {

int TellReplay(Session& session, const char* who, const absl::StatusOr<journal::ReplayReport>& report,
               const ReplayCounts& counts, const std::string& text) {
  if (!report.ok()) return Fail(session, report.status());
  const bool same = report->different == 0;
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("identical").Flag(same);
    const auto integer = [&json](const char* key, std::uint64_t value) {
      json.Key(key).Integer(static_cast<std::int64_t>(value));
    };
    integer("lives", report->lives);
    integer("events", report->events);
    integer("actions", report->actions);
    integer("segments_different", report->different);
    integer("gaps", report->gaps);
    integer("torn", report->torn);
    for (const auto& [key, value] : counts) integer(key, value);
    json.End();
    session.out << json.text() << "\n";
    return same ? kExitOk : kExitNo;
  }
  session.out << absl::StrFormat("%s: %d lives, %d events, %d actions: ", who, report->lives, report->events,
                                 report->actions)
              << (same ? "every action comes out as it was, bit for bit\n" : report->first_difference + "\n");
  if (report->torn > 0)
    session.out << report->torn << " segments end inside a record, as kill -9 leaves them\n";
  if (report->gaps > 0) session.out << report->gaps << " gaps: what the disk could not take\n";
  session.out << text;
  return same ? kExitOk : kExitNo;
}

}  // namespace ringway::cli
