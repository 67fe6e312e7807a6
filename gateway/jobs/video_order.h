// What a client wants made: the fields of a request, from JSON or from a form, checked.
//
// Names are those of the OpenAI-style servers. What they all know is understood here (prompt, model, size,
// seconds, frames, ...); any other field is a parameter of the model and goes to the worker as it is, which
// takes or refuses it. `input_reference` is the picture: the bytes of a file in a form, a data URL or
// base64 in JSON. Nothing is fetched from an address that a client names.
//
// Bounds: those of a job's header (proto/job_codec.h). Pure. Threads: values.
#ifndef RINGWAY_GATEWAY_JOBS_VIDEO_ORDER_H_
#define RINGWAY_GATEWAY_JOBS_VIDEO_ORDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/jobs/picture_header.h"

namespace ringway::gateway {

inline constexpr std::size_t kPromptBytesMax = 32 << 10;
inline constexpr std::size_t kFieldBytesMax = 4 << 10;
inline constexpr std::size_t kFieldsMax = 64;
inline constexpr double kDefaultFps = 24;

struct GivenPicture {
  std::string field;
  PictureHeader header;
};

struct VideoOrder {
  std::string model;
  std::string prompt;
  std::string size;                               // "1280x720"; empty: the model's
  std::string seconds;                            // a number as text; empty: the model's
  std::map<std::string, std::string> parameters;  // for the worker; size and seconds are among them
  std::vector<GivenPicture> pictures;             // whose bytes are in `picture`, one after the other
  std::string picture;                            // bytes
  std::string picture_type;
  std::string webhook_url;
  double deadline_s = 0;  // 0: the tier's
  // What it costs, as far as it says: 0: it does not.
  std::uint32_t steps = 0;
  std::uint32_t pixels = 0;
  std::uint32_t frames = 0;
  int images = 0;  // of the images API: so many jobs, of seeds that follow each other; 0: a video

  std::uint64_t fingerprint = 0;  // set by Complete

  // Tells one request from another: the same for the same fields and picture.
  std::uint64_t Fingerprint() const;
};

// One field as text. Errors: InvalidArgument that names the field, what was found, what is allowed.
absl::Status AddField(VideoOrder& order, std::string_view name, std::string_view value);
// The picture as bytes; `type` may be empty.
absl::Status AddPicture(VideoOrder& order, std::string_view bytes, std::string_view type);
// The picture as text: data:image/png;base64,... or base64 alone.
absl::Status AddPictureText(VideoOrder& order, std::string_view text);
struct DecodedPicture {
  std::string bytes;
  std::string_view type;  // a part of the text; empty: it does not say
};
// `name`: of the field, for errors.
absl::StatusOr<DecodedPicture> DecodePictureText(std::string_view name, std::string_view text);
// When all fields are in.
absl::Status Complete(VideoOrder& order);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_VIDEO_ORDER_H_
