// A video job to bytes and back: what the store writes.
//
// A record is the payload of one state file; the message is v1::VideoRecord.
// Decoding checks what a damaged or foreign file could say wrong; unknown fields of a newer release are
// ignored. Threads: pure functions.
#ifndef RINGWAY_ROUTER_VIDEOS_RECORD_CODEC_H_
#define RINGWAY_ROUTER_VIDEOS_RECORD_CODEC_H_

#include <string>

#include "absl/status/statusor.h"
#include "router/videos/jobs/video.h"

namespace ringway::router::videos {

std::string EncodeVideo(const Video& video);
// Errors: DataLoss.
absl::StatusOr<Video> DecodeVideo(const std::string& bytes);

}  // namespace ringway::router::videos

#endif  // RINGWAY_ROUTER_VIDEOS_RECORD_CODEC_H_
