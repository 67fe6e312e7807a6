#include "engine/media/encode_frames.h"

#include "absl/status/status.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {

absl::Status CheckGoesOn(const EncodeOptions& options) {
  return options.stop.stop_requested() ? absl::CancelledError("cancelled while the film was written")
                                       : absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> EncodeFrames(std::size_t frames, const EncodeOptions& options,
                                                      const FramePiece& piece) {
  std::vector<std::string> pieces(frames);
  std::vector<absl::Status> ends(frames);
  ParallelFor(static_cast<std::int64_t>(frames), options.threads, [&](std::int64_t task, int) {
    const auto frame = static_cast<std::size_t>(task);
    ends[frame] = CheckGoesOn(options);
    if (!ends[frame].ok()) return;
    absl::StatusOr<std::string> made = piece(frame);
    if (made.ok())
      pieces[frame] = *std::move(made);
    else
      ends[frame] = made.status();
  });
  for (const absl::Status& end : ends)
    if (!end.ok()) return end;
  return pieces;
}

}  // namespace ringway::engine
