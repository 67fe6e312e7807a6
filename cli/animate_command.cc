// ringway animate [PHOTO] -p PROMPT -o FILE ...
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/animation.h"
#include "cli/commands.h"
#include "cli/context/endpoints.h"
#include "cli/result_file.h"
#include "engine/media/encode.h"

namespace ringway::cli {
namespace {

struct AnimateOptions {
  AnimateJob job;
  std::string out = "animation.gif";
  bool remote = false;
};

std::string Ending(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension.empty() ? "gif" : extension.substr(1);
}

int Animate(Session& session, AnimateOptions& options) {
  if (session.json && ResultFile::IsStandardOutput(options.out))
    return Fail(session, BothOnStandardOutput("-o"));
  if (options.remote) {
    if (absl::Status used = UseContext(session); !used.ok()) return Fail(session, used);
  }
  options.job.settings.try_emplace("format", Ending(options.out));
  const absl::StatusOr<std::string> photo = PhotoFor(options.job.photo_file);
  if (!photo.ok()) return Fail(session, photo.status());
  if (options.job.photo_file.empty()) session.err << "no photo given: animating a picture of Ringway's own\n";
  const absl::StatusOr<AnimateResult> result = options.remote
                                                   ? AnimateThroughRouter(session, options.job, *photo)
                                                   : AnimateHere(session, options.job, *photo);
  if (!result.ok()) return Fail(session, result.status());
  if (!session.json) {
    for (const std::string& note : result->notes) session.err << "note: " << note << "\n";
  }
  if (absl::Status status = WriteResult(options.out, result->file, session.out); !status.ok())
    return Fail(session, status);
  if (session.json) {
    session.out << ResultJson(*result, options.out);
  } else {
    std::ostream& told = ResultFile::IsStandardOutput(options.out) ? session.err : session.out;
    told << options.out << ": " << result->file.size() << " bytes, " << result->story << "\n";
  }
  return kExitOk;
}

// Flags that are settings of the job, under the same names.
void AddSettings(flags::Command command, std::map<std::string, std::string>& settings) {
  const std::string formats =
      absl::StrCat(engine::AnimationFormatNames(), "; else by the ending of the file");
  const std::pair<const char*, const char*> flags[] = {
      {"seed", "another seed, another film; the same seed, the same film"},
      {"steps", "solver steps; the model's own number if not given"},
      {"frames", "of the film; 48 if not given"},
      {"fps", "frames a second; the model's own pace if not given (the bundled one: 24)"},
      {"side", "longer side in pixels, at most the photo's; 768 if not given"},
      {"region", "what may move: left,top,right,bottom in pixels, or in hundredths: 10%,20%,60%,90%"},
      {"format", formats.c_str()}};
  for (const auto& [name, help] : flags)
    command.AddText(
        absl::StrCat("--", name),
        [&settings, key = name](const std::string& value) { settings[key] = value; }, help);
}

}  // namespace

void AddAnimateCommand(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("animate", "animate a photo by a prompt, here or through a router");
  const auto options = std::make_shared<AnimateOptions>();
  command.Add("photo", options->job.photo_file, "PNG, JPEG or WebP; a picture of Ringway's own if not given");
  command.Add("-p,--prompt", options->job.prompt, "what should move: \"the boat sways gently\"");
  command
      .Add("-o,--out", options->out,
           "where the animation goes, - for standard output; its ending chooses the format")
      .ShowDefault();
  command.Add("--model", options->job.model, "model directory; the bundled one if not given");
  command.Add("--threads", options->job.threads, "0: as many as there are processors")
      .In(0, 256)
      .ShowDefault();
  command.Add("--tier", options->job.tier, "with --router: needed if there are several");
  AddSettings(command, options->job.settings);
  command.OnChosen([&session, options, app] {
    // The current context alone does not send a photo away.
    options->remote = app.Given("--router") || app.Given("--context");
    session.run = [&session, options] { return Animate(session, *options); };
  });
}

}  // namespace ringway::cli
