// The demo's picture: it is drawn from a prompt by a worker with the real engine, behind a controller and a
// router, and goes the same way once more to become an animation. With a photo of the user's, or without the
// weights that draw, only the second.
//
// The traffic of the demo runs on synthetic workers, because one machine cannot draw for twenty. This act
// runs before it on a world of one region (topology/picture.yaml), so the way of a job is the real one from
// end to end: the payload is the picture, progress is the solver's, the result is the file. Nothing is left
// running. Threads: the one that calls.
#ifndef RINGWAY_CLI_DEMO_PICTURE_ACT_H_
#define RINGWAY_CLI_DEMO_PICTURE_ACT_H_

#include <string>

#include "absl/status/status.h"
#include "cli/animation.h"
#include "cli/session.h"

namespace ringway::demo {

struct PictureSettings {
  std::string out;       // file of the animation; empty: no picture
  std::string topology;  // of the world with one worker
  std::string programs;
  cli::AnimateJob job;
  // What is drawn first, where there are no photo and no model of the user's, and its file; empty: nothing.
  std::string draw, drawn_out;
};

// Plays the act and tells about it on session.err. `folder` is for logs and state.
absl::Status AnimatePicture(cli::Session& session, const PictureSettings& settings,
                            const std::string& folder);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_PICTURE_ACT_H_
