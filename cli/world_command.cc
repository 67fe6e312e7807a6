// ringway up [--folder FOLDER] [--topology FILE] [--backend engine|synthetic] ..., ringway down [--folder
// FOLDER]
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/programs.h"
#include "cli/world/raise.h"
#include "core/json.h"
#include "engine/media/encode.h"

namespace ringway::cli {
namespace {

constexpr char kFolderHelp[] = "folder of the world: addresses, state, logs";

// What the bundled engine makes when nobody asks for a format.
const char* FilmEnding() { return engine::AnimationFormatOf("mp4") ? "mp4" : "gif"; }

std::string CurlText(const WorldSettings& settings, const std::string& videos) {
  return absl::StrCat("curl -fsS http://", videos,
                      "/v1/videos/sync -F prompt='zoom in slowly' -F side=360 -F input_reference=@",
                      PhotoFile(settings.folder), " -o film.",
                      settings.backend == "engine" ? FilmEnding() : "bin");
}

void TellWhatIsUp(Session& session, const WorldSettings& settings, const WorldRecord& record) {
  std::ostream& out = session.out;
  out << session.Painted("A small world is up", Style::kBold) << ": " << record.processes.size()
      << " processes on this machine, "
      << (settings.backend == "engine"
              ? "the bundled engine behind every worker"
              : "workers that sleep instead of drawing, so a film is bytes that mean nothing")
      << ".\n\n"
      << "  dashboard  http://" << record.dashboard << "/\n"
      << "  a film     " << CurlText(settings, record.videos) << "\n"
      << "  traffic    ringway load --rate 2 --duration 60s\n"
      << "  look       ringway status, ringway top, ringway table\n"
      << "  steer      ringway drain eu-west-1 --why \"trying it out\"\n"
      << "  end it     ringway down"
      << (settings.folder == kDefaultWorldFolder ? "" : " --folder " + settings.folder) << "\n\n";
  if (settings.free_ports) {
    out << "These are free ports, not the usual ones. For the other commands, in this shell: source "
        << EnvironmentFile(settings.folder) << "\n";
  }
}

int Up(Session& session, const WorldSettings& settings) {
  demo::Interrupt interrupt;  // before any thread starts
  if (!session.json) session.err << "starting a controller, routers and workers ...\n";
  const absl::StatusOr<WorldRecord> record = RaiseWorld(session, settings, interrupt);
  if (!record.ok()) {
    const int code = Fail(session, record.status());
    // Nobody was asked for anything: the answer of this machine is no.
    return code == kExitUnreachable ? kExitNo : code;
  }
  if (session.json) {
    session.out << RecordText(*record);
  } else {
    TellWhatIsUp(session, settings, *record);
  }
  return kExitOk;
}

int Down(Session& session, const std::string& folder, bool keep) {
  const absl::StatusOr<WorldRecord> record = ReadRecord(folder);
  if (!record.ok()) return Fail(session, record.status());
  const WorldEnd end = EndProcesses(*record);
  RemoveWorldFiles(folder, keep);
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("ended").Integer(static_cast<std::int64_t>(end.processes));
    json.Key("killed").Integer(static_cast<std::int64_t>(end.killed)).End();
    session.out << json.text() << "\n";
    return kExitOk;
  }
  session.out << "the world of " << folder << " is down: " << end.processes << " processes ended";
  if (end.killed > 0) session.out << ", " << end.killed << " of them had to be killed";
  session.out << "\n";
  if (keep) session.out << "logs and state: " << RunFolder(folder) << "\n";
  return kExitOk;
}

}  // namespace

void AddWorldCommands(flags::Command app, Session& session) {
  flags::Command up =
      app.Subcommand("up", "bring up a small world that stays on this machine until `ringway down`");
  up.Footer(
      "One controller, a router in each region and the workers, with the bundled engine behind them: what "
      "comes back is\n"
      "a film. Prints the address of the dashboard and a curl command.");
  const auto settings = std::make_shared<WorldSettings>();
  settings->programs = OwnFolder();
  settings->topology = ShippedTopology("small.yaml");
  up.Add("--folder", settings->folder, kFolderHelp).ShowDefault();
  up.Add("--topology", settings->topology, "up to 8 regions and 48 workers").ShowDefault();
  AddChoice<std::string>(up, "--backend", settings->backend,
                         {{"engine", "engine"}, {"synthetic", "synthetic"}},
                         "what the workers do: draw with the bundled engine, or sleep a drawn service time");
  up.Add("--model", settings->model, "model directory of the engine; the bundled one if not given");
  up.AddFlag("--free-ports", settings->free_ports, "take free ports instead of 7400, 7401, 7410 and 7412")
      .Environment("RINGWAY_FREE_PORTS");
  up.Add("--programs", settings->programs, "folder of ringway-controller, -router and -worker").ShowDefault();
  up.OnChosen(
      [&session, settings] { session.run = [&session, settings] { return Up(session, *settings); }; });

  flags::Command down = app.Subcommand("down", "end what `ringway up` has brought up");
  const auto folder = std::make_shared<std::string>(kDefaultWorldFolder);
  const auto keep = std::make_shared<bool>(false);
  down.Add("--folder", *folder, kFolderHelp).ShowDefault();
  down.AddFlag("--keep", *keep, "keep logs and state");
  down.OnChosen([&session, folder, keep] {
    session.run = [&session, folder, keep] { return Down(session, *folder, *keep); };
  });
}

}  // namespace ringway::cli
