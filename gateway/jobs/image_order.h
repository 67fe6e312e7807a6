// What a client of the images API wants drawn: the fields of a request, from JSON or from a form, checked and
// turned into the order of a job.
//
// Names are those of OpenAI's images API. Of them are understood here: prompt, model, n, size (with "auto"),
// image, mask, response_format and output_format. Settings that only OpenAI's own models have (quality,
// style, background, moderation, output_compression, partial_images, stream, input_fidelity) are taken at the
// value that asks for nothing, and refused with what is allowed otherwise: nothing is left out in silence.
// `user` labels OpenAI's accounts and means nothing here; it is dropped. Any other field is a parameter of
// the model and goes to the worker, which takes or refuses it.
//
// A job carries one payload. Where it is more than one picture, they follow each other in it and the
// parameter `pictures` says what they are: "image=1234,mask=567", in bytes.
//
// Bounds: those of video_order.h, kImagesMax pictures of one request. Pure. Threads: values.
#ifndef RINGWAY_GATEWAY_JOBS_IMAGE_ORDER_H_
#define RINGWAY_GATEWAY_JOBS_IMAGE_ORDER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gateway/jobs/video_order.h"

namespace ringway::gateway {

inline constexpr int kImagesMax = 10;

enum class ImageCallKind : std::uint8_t { kGeneration, kEdit, kVariation };

class ImageOrderReader {
 public:
  explicit ImageOrderReader(ImageCallKind kind) : kind_(kind) {}

  // One field as text; pictures as base64 or as a data URL.
  // Errors: InvalidArgument that names the field, what was found, what is allowed.
  absl::Status Add(std::string_view name, std::string_view value);
  // A field of this name is a picture here.
  bool TakesPicture(std::string_view name) { return PictureOf(name) != nullptr; }
  // One file of a form.
  absl::Status AddFile(std::string_view name, std::string_view bytes, std::string_view type);
  // When all fields are in: the order of `images` jobs, which differ in their seeds.
  absl::StatusOr<VideoOrder> Finish();

 private:
  // Null: no field of this name holds a picture here.
  std::string* PictureOf(std::string_view name);
  absl::Status AddPictureTo(std::string& to, std::string_view name, std::string_view bytes,
                            std::string_view type);
  void JoinPictures();

  const ImageCallKind kind_;
  VideoOrder order_;
  int count_ = 1;
  std::string image_, mask_, control_;
  std::string type_;  // of the first picture
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_IMAGE_ORDER_H_
