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
void AddPicture(CLI::App& command, demo::PictureSettings& picture) {
  picture.out = "ringway-demo.gif";
  picture.job.prompt = "zoom in slowly";
  picture.job.settings = {{"format", "gif"}};
  picture.draw = "a red boat on the sea at dusk";
  picture.drawn_out = "ringway-demo.png";
  command
      .add_option("--animate", picture.out,
                  "where the picture goes that the real engine animates first, a GIF")
      ->capture_default_str();
  command.add_flag_callback(
      "--no-picture", [&picture] { picture.out.clear(); }, "only the traffic");
  command
      .add_option("--draw", picture.draw,
                  "what the bundled model draws to be animated, where neither --photo nor --model is given")
      ->capture_default_str();
  command.add_option("--drawn", picture.drawn_out, "where that picture goes, a PNG")->capture_default_str();
  command.add_option("--photo", picture.job.photo_file, "your photo to be animated instead");
  command.add_option("--prompt", picture.job.prompt, "what should move in it")->capture_default_str();
  command.add_option("--model", picture.job.model, "model directory for it; the bundled one if not given");
}

}  // namespace

void AddDemoCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("demo", "bring up a small world on this machine and send jobs through it");
  const auto settings = std::make_shared<demo::DemoSettings>();
  settings->topology = ShippedTopology("local.yaml");
  settings->picture.topology = ShippedTopology("picture.yaml");
  settings->programs = OwnFolder();
  AddChoice<demo::RouteChoice>(
      *command, "--route", settings->route,
      {{"ringway", demo::RouteChoice::kRingway},
       {"global", demo::RouteChoice::kGlobal},
       {"both", demo::RouteChoice::kBoth}},
      "ringway: home first; global: spread over the world; both: the first, then the second to compare");
  command->add_option("--topology", settings->topology, "2 to 8 regions, few workers")->capture_default_str();
  command->add_option(
      "--scenario", settings->scenario,
      "play a scenario file of `ringway sim` instead: its topology, demand and service times");
  command->add_option("--trace", settings->trace,
                      "CSV of recorded arrivals, instead of the built-in day curve");
  command->add_option("--seconds", settings->length_s, "length of the script")
      ->check(CLI::Range(10.0, 3600.0))
      ->capture_default_str();
  command->add_option("--seed", settings->seed, "of the arrivals")->capture_default_str();
  command->add_option("--programs", settings->programs, "folder of ringway-controller, -router and -worker")
      ->capture_default_str();
  AddPicture(*command, settings->picture);
  command->add_flag("--keep", settings->keep, "keep logs and state files");
  command->callback([&session, settings] {
    session.run = [&session, settings] {
      settings->picture.programs = settings->programs;
      settings->terminal = session.colour && isatty(STDERR_FILENO) == 1;
      return demo::RunDemo(session, *settings);
    };
  });
}

}  // namespace ringway::cli
