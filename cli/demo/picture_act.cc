#include "cli/demo/picture_act.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/demo/cluster.h"
#include "cli/result_file.h"
#include "engine/bundled_model.h"
#include "engine/bundled_pictures.h"
#include "runtime/clock.h"
#include "topology/topology.h"

namespace ringway::demo {
namespace {

// A router learns of its worker within a report or two; until then it has nobody to send the job to.
constexpr Duration kTryFor = Seconds(20);

absl::StatusOr<cli::AnimateResult> AnimateWhenReady(cli::Session& session, const cli::AnimateJob& job,
                                                    const std::string& photo) {
  const Time limit = runtime::MonotonicNow() + kTryFor;
  for (;;) {
    absl::StatusOr<cli::AnimateResult> result = cli::AnimateThroughRouter(session, job, photo);
    const bool wrong = result.status().code() == absl::StatusCode::kInvalidArgument;
    if (result.ok() || wrong || runtime::MonotonicNow() > limit) return result;
    absl::SleepFor(Milliseconds(250));
  }
}

// Whether the act draws its own picture; says why where it would but cannot.
bool Draws(cli::Session& session, const PictureSettings& settings) {
  if (settings.draw.empty() || !settings.job.photo_file.empty() || !settings.job.model.empty()) return false;
  const absl::Status found = engine::FindScenes().status();
  if (found.ok()) return true;
  session.err << "No picture is drawn from a prompt (skipped): " << found.message() << ".\n";
  return false;
}

// What the worker is started with. It finds the bundled models itself, where there are none of the user's.
absl::StatusOr<std::vector<std::string>> WorkerFlags(const PictureSettings& settings) {
  std::vector<std::string> flags = {"--backend", "engine"};
  if (!settings.job.model.empty())
    flags.insert(flags.end(), {"--engine-model", settings.job.model});
  else if (const absl::Status bundled = engine::FindBundledModel().status(); !bundled.ok())
    return bundled;
  return flags;
}

// Writes what came back and tells about it.
absl::Status Keep(cli::Session& session, const absl::StatusOr<cli::AnimateResult>& result,
                  const std::string& out) {
  if (!result.ok()) return result.status();
  for (const std::string& note : result->notes) session.err << "note: " << note << "\n";
  if (absl::Status status = cli::WriteResult(out, result->file, session.out); !status.ok()) return status;
  session.err << out << ": " << result->file.size() << " bytes, " << result->story << "\n\n";
  return absl::OkStatus();
}

absl::StatusOr<std::string> DrawPicture(cli::Session& session, const PictureSettings& settings) {
  session.err << "A picture first: \"" << settings.draw
              << "\", drawn through a controller, a router and a worker.\n";
  cli::AnimateJob job;
  job.prompt = settings.draw;
  job.still = true;
  absl::StatusOr<cli::AnimateResult> drawn = AnimateWhenReady(session, job, "");
  if (absl::Status kept = Keep(session, drawn, settings.drawn_out); !kept.ok()) return kept;
  return std::move(drawn->file);
}

// With session.router set to the act's own.
absl::Status Play(cli::Session& session, const PictureSettings& settings) {
  const bool draws = Draws(session, settings);
  const absl::StatusOr<std::string> photo =
      draws ? DrawPicture(session, settings) : cli::PhotoFor(settings.job.photo_file);
  if (!photo.ok()) return photo.status();
  const std::string whose = draws                             ? "Now it moves"
                            : settings.job.photo_file.empty() ? "A picture first: one of Ringway's own"
                                                              : "A picture first: " + settings.job.photo_file;
  session.err << whose << ", \"" << settings.job.prompt
              << "\", through a controller, a router and a worker.\n";
  return Keep(session, AnimateWhenReady(session, settings.job, *photo), settings.out);
}

}  // namespace

absl::Status AnimatePicture(cli::Session& session, const PictureSettings& settings,
                            const std::string& folder) {
  const absl::StatusOr<std::vector<std::string>> flags = WorkerFlags(settings);
  if (!flags.ok()) return flags.status();
  const absl::StatusOr<Topology> topology = LoadTopology(settings.topology);
  if (!topology.ok()) return topology.status();
  std::filesystem::create_directories(folder);
  absl::StatusOr<Cluster> cluster = Cluster::Start({.programs = settings.programs,
                                                    .folder = folder,
                                                    .topology = settings.topology,
                                                    .tier = TierId(0),
                                                    .worker_flags = *flags},
                                                   *topology->fleet);
  if (!cluster.ok()) return cluster.status();
  const std::string router = std::exchange(session.router, cluster->router(RegionId(0), 0));
  const absl::Status played = Play(session, settings);
  session.router = router;
  cluster->Stop();
  return played;
}

}  // namespace ringway::demo
