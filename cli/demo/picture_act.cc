#include "cli/demo/picture_act.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/demo/cluster.h"
#include "cli/result_file.h"
#include "engine/bundled_model.h"
#include "runtime/clock.h"
#include "topology/topology.h"

namespace ringway::demo {
namespace {

// A router learns of its worker within a report or two; until then it has nobody to send the job to.
constexpr absl::Duration kTryFor = absl::Seconds(20);

absl::StatusOr<cli::AnimateResult> AnimateWhenReady(cli::Session& session, const cli::AnimateJob& job,
                                                    const std::string& photo) {
  const absl::Time limit = runtime::MonotonicNow() + kTryFor;
  for (;;) {
    absl::StatusOr<cli::AnimateResult> result = cli::AnimateThroughRouter(session, job, photo);
    const bool wrong = result.status().code() == absl::StatusCode::kInvalidArgument;
    if (result.ok() || wrong || runtime::MonotonicNow() > limit) return result;
    absl::SleepFor(absl::Milliseconds(250));
  }
}

}  // namespace

absl::Status AnimatePicture(cli::Session& session, const PictureSettings& settings,
                            const std::string& folder) {
  const absl::StatusOr<std::string> photo = cli::PhotoFor(settings.job.photo_file);
  if (!photo.ok()) return photo.status();
  std::filesystem::path model = settings.job.model;
  if (model.empty()) {
    const absl::StatusOr<std::filesystem::path> bundled = engine::FindBundledModel();
    if (!bundled.ok()) return bundled.status();
    model = *bundled;
  }
  const absl::StatusOr<Topology> topology = LoadTopology(settings.topology);
  if (!topology.ok()) return topology.status();
  std::filesystem::create_directories(folder);
  absl::StatusOr<Cluster> cluster =
      Cluster::Start({.programs = settings.programs,
                      .folder = folder,
                      .topology = settings.topology,
                      .tier = TierId(0),
                      .worker_flags = {"--backend", "engine", "--engine-model", model.string()}},
                     *topology->fleet);
  if (!cluster.ok()) return cluster.status();
  session.err << "A picture first: "
              << (settings.job.photo_file.empty() ? "one of Ringway's own" : settings.job.photo_file)
              << ", \"" << settings.job.prompt << "\", through a controller, a router and a worker.\n";
  const std::string router = std::exchange(session.router, cluster->router(RegionId(0), 0));
  const absl::StatusOr<cli::AnimateResult> result = AnimateWhenReady(session, settings.job, *photo);
  session.router = router;
  cluster->Stop();
  if (!result.ok()) return result.status();
  for (const std::string& note : result->notes) session.err << "note: " << note << "\n";
  if (absl::Status status = cli::WriteResult(settings.out, result->file, session.out); !status.ok())
    return status;
  session.err << settings.out << ": " << result->file.size() << " bytes, " << result->story << "\n\n";
  return absl::OkStatus();
}

}  // namespace ringway::demo
