#include "cli/words/examples.h"

#include <map>
#include <string>
#include <vector>

namespace ringway::words {
namespace {

// Subcommand, as it is typed, to what may follow it; empty: nothing has to.
using ExampleTable = std::map<std::string, std::vector<std::string>>;

ExampleTable WithContexts(ExampleTable others) {
  others.merge(
      ExampleTable{{"context", {"list", "use production"}},
                   {"context list", {""}},
                   {"context show", {"production"}},
                   {"context use", {"production"}},
                   {"context set", {"production --controller 10.0.0.5:7400 --token-file production.token"}},
                   {"context remove", {"production"}}});
  return others;
}

ExampleTable WithOrders(ExampleTable others) {
  others.merge(ExampleTable{
      {"drain",
       {"eu-west-1 --why \"maintenance of the power supply\"", "eu-west-1 --share 0.5 --for 30m",
        "eu-west-1 --force", "eu-west-1 --dry-run", "--worker eu-west-1-gpu3 --why \"memory errors\"",
        "--host 10.0.3.7 --for 30m"}},
      {"undrain", {"eu-west-1 --why \"power is back\"", "eu-west-1 --dry-run", "--worker eu-west-1-gpu3"}},
      {"pin",
       {"eu-west-1 --why \"while we look into it\" --for 1h",
        "eu-west-1 --to eu-west-1=0.7 --to us-east-1=0.3 --dry-run"}},
      {"unpin", {"eu-west-1", "eu-west-1 --dry-run"}},
      {"threshold",
       {"0.7 --why \"launch tonight\" --for 3h", "0.6 --region eu-west-1 --dry-run",
        "--clear --region eu-west-1"}},
      {"mode", {"observe --why \"first day\"", "active --tier animate --dry-run"}},
      {"rollback",
       {"3.41 --why \"the table of this morning\"", "3.41 --dry-run",
        "--at \"2026-11-23 12:00\" --why \"as it was yesterday at noon\""}}});
  return others;
}

const ExampleTable& Examples() {
  static const auto& examples = *new ExampleTable(WithOrders(WithContexts(
      {{"up",
        {"", "--free-ports --folder /tmp/second", "--backend synthetic --topology topology/local.yaml"}},
       {"down", {"", "--folder /tmp/second", "--keep"}},
       {"load",
        {"--rate 2 --duration 60s",
         "--rate 4 --region eu-west-1=3 --region us-east-1=1 --arrivals gamma --cv 2",
         "--trace arrivals.csv --file photo.jpg --prompt \"zoom in slowly\" --json"}},
       {"demo",
        {"", "--photo photo.jpg --prompt \"zoom in slowly\"", "--no-picture --seconds 120 --route ringway"}},
       {"animate",
        {"photo.jpg -p \"zoom in slowly\" -o film.gif", "-p \"the boat sways\" -o film.webp --seed 7"}},
       {"generate",
        {"-p \"a red boat on the sea at dusk\" -o picture.png",
         "-p \"two green trees in the snow by day\" --lora sketch -o sketch.png",
         "--prompts prompts.txt --seed 7 -o pictures",
         "--model DIR -p \"a lighthouse at dawn\" -o picture.png",
         "--model DIR -p \"waves at dusk\" --frames 97 -o film.mp4",
         "--model DIR --motion-adapter DIR -p \"waves at dawn\" --frames 16 --fps 8 -o film.mp4"}},
       {"engine inspect", {"engine/weights/student --tensors"}},
       {"engine bench", {"", "--threads 2"}},
       {"engine profile",
        {"stable-diffusion-v1-5", "stable-diffusion-v1-5 --size 512x768",
         "stable-diffusion-v1-5 --switches --lora style.safetensors --packed-weights /var/cache/ringway"}},
       {"submit",
        {"--file photo.png --prompt \"zoom in slowly\" --out film.mp4",
         "--prompt \"a cat waves\" --key order-4711", "--prompt \"a cat waves\" --deadline 30s --json"}},
       {"sim run",
        {"sim/scenarios/launch-spike.yaml", "sim/scenarios/launch-spike.yaml --seed 3 --json",
         "sim/scenarios/launch-spike.yaml --gpu-hour 2.5",
         "sim/scenarios/launch-spike.yaml --journals lives --journal-of routers"}},
       {"sim sweep", {"sim/scenarios/launch-spike.yaml --vary demand=0.6:1.2:0.1 --out sweep"}},
       {"sim merge", {"sweep --csv sweep.csv"}},
       {"sim compare",
        {"sim/scenarios/launch-spike.yaml sim/scenarios/domino.yaml",
         "sim/scenarios/launch-spike.yaml --set-b threshold=0.7"}},
       {"sim size",
        {"sim/scenarios/capacity-sizing.yaml --slo 'served_share>=0.99' --slo 'wait_p99_s<=0.5'"}},
       {"sim replay",
        {"ringway-controller-state/journal", "ringway-controller-state/journal --edit threshold=0.9"}},
       {"status", {"", "--watch 5", "--routers", "--json"}},
       {"top", {"", "--once", "--count 10 --json"}},
       {"table", {"", "--tier animate", "--watch"}},
       {"explain", {"eu-west-1", "eu-west-1 --tier animate"}},
       {"whatif",
        {"--drain eu-west-1", "--threshold 0.7", "--scale us-east-1=2 --scale eu-west-1=1.5",
         "--drain eu-west-1 --watch 10"}},
       {"workers", {"", "--region eu-west-1 --state draining", "--tier animate --json", "--watch"}},
       {"jobs", {"", "--state waiting --limit 10", "--watch 1", "--router 10.0.3.7:7410"}},
       {"cancel", {"order-4711 --why \"its customer has left\""}},
       {"canary", {"promote --why \"as good as the old one\"", "abort"}},
       {"canary promote", {"--why \"as good as the old one\""}},
       {"canary abort", {"--why \"answers came late\""}},
       {"history", {"", "--since \"2026-11-23 11:00\"", "--watch"}},
       {"diff", {"3.41", "3.41 3.44 --tier animate", "26h"}},
       {"audit", {"", "--limit 3"}},
       {"names", {"regions", "tiers", "workers"}},
       {"plan", {"topology/aws.yaml evening.yaml --drain eu-west-1"}},
       {"topology check", {"topology/local.yaml"}},
       {"topology show", {"topology/aws.yaml --tier animate"}},
       {"version", {""}},
       {"completion", {"bash"}},
       {"man", {"", "/tmp/pages"}}})));
  return examples;
}

void AddTo(flags::Command command, const std::string& path) {
  for (const flags::Command& child : command.subcommands())
    AddTo(child, path.empty() ? child.name() : path + " " + child.name());
  const auto found = Examples().find(path);
  if (found == Examples().end()) return;
  std::string text = command.footer();
  text += text.empty() ? "Examples:" : "\n\nExamples:";
  for (const std::string& rest : found->second)
    text += "\n  ringway " + path + (rest.empty() ? "" : " " + rest);
  command.Footer(text);
}

}  // namespace

void AddExamples(flags::Command root) { AddTo(root, ""); }

}  // namespace ringway::words
