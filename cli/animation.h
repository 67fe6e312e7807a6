// Animating one photo, by the engine in this process or by a worker behind a router: the same job, the same
// settings.
//
// Progress goes to session.err: one line that is drawn over on a terminal, a line a step elsewhere, nothing
// under
// --json. Blocks until the animation is there. The result is kept in memory until it is whole, so that no
// half of a file is left behind. Threads: one owner.
#ifndef RINGWAY_CLI_ANIMATION_H_
#define RINGWAY_CLI_ANIMATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session.h"

namespace ringway::cli {

struct AnimateJob {
  std::string photo_file;  // empty: DrawPicture
  std::string prompt;
  std::map<std::string, std::string> settings;  // engine/animate_order.h
  std::string model;                            // directory; empty: the bundled one
  int threads = 0;
  std::string tier;  // through a router
  // Through a router: a still of the prompt is asked for, of a worker that draws; without a photo.
  bool still = false;
};

struct AnimateResult {
  std::string file;   // bytes
  std::string story;  // for people: how it was made, and how long it took
  double seconds = 0;
  std::vector<std::string> notes;  // what of the order was not understood
};

// The photo's bytes, or those of a picture drawn for the occasion (PNG).
absl::StatusOr<std::string> PhotoFor(const std::string& file);

absl::StatusOr<AnimateResult> AnimateHere(Session& session, const AnimateJob& job, const std::string& photo);
absl::StatusOr<AnimateResult> AnimateThroughRouter(Session& session, const AnimateJob& job,
                                                   const std::string& photo);

std::string ResultJson(const AnimateResult& result, const std::string& out);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ANIMATION_H_
