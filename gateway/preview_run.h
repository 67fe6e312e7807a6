// One run of the program that looks into films: from a film's file to a picture's.
//
// Films are made by workers, so what is in them is not trusted: the program has limits of its own
// (engine/preview/limits.h), and is ended here when it has not ended by itself within kPreviewRunMax.
// Whatever a film does to it is an error here. Blocks: for a thread of its own. Threads: `stop` may be set by
// any.
#ifndef RINGWAY_GATEWAY_PREVIEW_RUN_H_
#define RINGWAY_GATEWAY_PREVIEW_RUN_H_

#include <atomic>
#include <string>

#include "absl/status/status.h"

#include "core/time.h"

namespace ringway::gateway {

inline constexpr Duration kPreviewRunMax = Seconds(40);

struct PreviewRun {
  std::string program = {};
  std::string variant = {};
  std::string film = {};     // is read
  std::string picture = {};  // is written
  std::string said = {};     // is written: what it has to say
  Duration limit = kPreviewRunMax;
};

// ringway-preview, where this program lies.
std::string PreviewProgram();

// OK: the picture is there. Errors, with what the program said: InvalidArgument (the film is at fault),
// Unimplemented (there is no such program), Cancelled (`stop`), Internal.
absl::Status RunPreview(const PreviewRun& run, const std::atomic<bool>& stop);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_PREVIEW_RUN_H_
