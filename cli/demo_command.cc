// ringway demo [--draw PROMPT] [--animate FILE | --no-picture] [--route ringway|global|both] [--trace FILE]
// ...
#include <unistd.h>

#include <memory>

#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/demo/demo.h"
#include "cli/programs.h"

namespace ringway::cli {
namespace {

// The picture that goes through the fleet before the traffic.
void AddPicture(flags::Command command, demo::PictureSettings& picture) {
  picture.out = "ringway-demo.gif";
  picture.job.prompt = "zoom in slowly";
  picture.job.settings = {{"format", "gif"}};
  picture.draw = "a red boat on the sea at dusk";
  picture.drawn_out = "ringway-demo.png";
  command.Add("--animate", picture.out, "where the picture goes that the real engine animates first, a GIF")
      .ShowDefault();
  command.AddFlag(
      "--no-picture", [&picture] { picture.out.clear(); }, "only the traffic");
  command
      .Add("--draw", picture.draw,
           "what the bundled model draws to be animated, where neither --photo nor --model is given")
      .ShowDefault();
  command.Add("--drawn", picture.drawn_out, "where that picture goes, a PNG").ShowDefault();
  command.Add("--photo", picture.job.photo_file, "your photo to be animated instead");
  command.Add("--prompt", picture.job.prompt, "what should move in it").ShowDefault();
  command.Add("--model", picture.job.model, "model directory for it; the bundled one if not given");
}

}  // namespace

void AddDemoCommand(flags::Command app, Session& session) {
  flags::Command command =
      app.Subcommand("demo", "bring up a small world on this machine and send jobs through it");
  const auto settings = std::make_shared<demo::DemoSettings>();
  settings->topology = ShippedTopology("local.yaml");
  settings->picture.topology = ShippedTopology("picture.yaml");
  settings->programs = OwnFolder();
  AddChoice<demo::RouteChoice>(
      command, "--route", settings->route,
      {{"ringway", demo::RouteChoice::kRingway},
       {"global", demo::RouteChoice::kGlobal},
       {"both", demo::RouteChoice::kBoth}},
      "ringway: home first; global: spread over the world; both: the first, then the second to compare");
  command.Add("--topology", settings->topology, "2 to 8 regions, few workers").ShowDefault();
  command.Add("--scenario", settings->scenario,
              "play a scenario file of `ringway sim` instead: its topology, demand and service times");
  command.Add("--trace", settings->trace, "CSV of recorded arrivals, instead of the built-in day curve");
  command.Add("--seconds", settings->length_s, "length of the script").In(10.0, 3600.0).ShowDefault();
  command.Add("--seed", settings->seed, "of the arrivals").ShowDefault();
  command.Add("--programs", settings->programs, "folder of ringway-controller, -router and -worker")
      .ShowDefault();
  AddPicture(command, settings->picture);
  command.AddFlag("--keep", settings->keep, "keep logs and state files");
  command.OnChosen([&session, settings] {
    session.run = [&session, settings] {
      settings->picture.programs = settings->programs;
      settings->terminal = session.colour && isatty(STDERR_FILENO) == 1;
      return demo::RunDemo(session, *settings);
    };
  });
}

}  // namespace ringway::cli
