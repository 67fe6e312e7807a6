// A video job to bytes and back: what the store writes.
//
// A record is the payload of one state file; the message is v1::VideoRecord. In a store that routers share it
// is an object: a line with a version and a checksum, then the record.
// Decoding checks what a damaged or foreign file could say wrong; unknown fields of a newer release are
// ignored. Threads: pure functions.
#ifndef RINGWAY_GATEWAY_RECORD_CODEC_H_
#define RINGWAY_GATEWAY_RECORD_CODEC_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gateway/jobs/video.h"

namespace ringway::gateway {

std::string EncodeVideo(const Video& video);
// Errors: DataLoss.
absl::StatusOr<Video> DecodeVideo(const std::string& bytes);

// As an object of a shared store. Errors: DataLoss.
std::string EncodeRecordObject(const Video& video);
absl::StatusOr<Video> DecodeRecordObject(std::string_view object);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_RECORD_CODEC_H_
