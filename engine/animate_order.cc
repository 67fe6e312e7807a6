#include "engine/animate_order.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"

namespace ringway::engine {
namespace {

constexpr char kNames[] = "seed, steps, frames, side, fps, region, format";

std::string Shown(std::string_view text) {
  return absl::StrCat("\"", absl::string_view(text.data(), std::min<std::size_t>(text.size(), 100)), "\"");
}

absl::Status ReadWhole(const std::string& name, const std::string& text, int low, int high, int& to) {
  int value = 0;
  if (absl::SimpleAtoi(text, &value) && value >= low && value <= high) {
    to = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", Shown(text), "; allowed: a whole number from ", low, " to ", high));
}

absl::Status ReadFormat(const std::string& text, AnimationFormat& to) {
  const std::optional<AnimationFormat> format = AnimationFormatOf(text);
  if (!format) {
    const char* remedy = text == "mp4"
                             ? " (mp4 needs libavformat-dev, libavcodec-dev and libswscale-dev when the "
                               "program is built)"
                             : "";
    return absl::InvalidArgumentError(
        absl::StrCat("format is ", Shown(text), "; allowed: ", AnimationFormatNames(), remedy));
  }
  to = *format;
  return absl::OkStatus();
}

absl::Status ReadSetting(const std::string& name, const std::string& text, AnimateOrder& order) {
  AnimateRequest& request = order.request;
  if (name == "steps") return ReadWhole(name, text, 1, 1000, request.steps);
  if (name == "frames") return ReadWhole(name, text, 1, 480, request.frames);
  if (name == "side") return ReadWhole(name, text, 16, 4096, request.side_max);
  if (name == "fps") return ReadWhole(name, text, 1, 100, request.frames_per_second);
  if (name == "format") return ReadFormat(text, order.format);
  if (name == "seed") {
    if (absl::SimpleAtoi(text, &request.seed)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("seed is ", Shown(text), "; allowed: a whole number from 0"));
  }
  if (name == "region") {
    const absl::StatusOr<Region> region = ParseRegion(text, request.picture.width, request.picture.height);
    if (region.ok()) request.region = *region;
    return region.status();
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown setting ", Shown(name), "; allowed: ", kNames));
}

}  // namespace

absl::StatusOr<AnimateOrder> ReadAnimateOrder(std::string_view photo, std::string_view prompt,
                                              const std::map<std::string, std::string>& settings) {
  absl::StatusOr<Picture> picture = DecodePicture(photo);
  if (!picture.ok()) return picture.status();
  AnimateOrder order;
  order.request.picture = *std::move(picture);
  order.request.prompt = std::string(prompt);
  for (const auto& [name, text] : settings)
    if (absl::Status status = ReadSetting(name, text, order); !status.ok()) return status;
  return order;
}

std::string_view ContentTypeOf(AnimationFormat format) {
  switch (format) {
    case AnimationFormat::kGif:
      return "image/gif";
    case AnimationFormat::kApng:
      return "image/apng";
    case AnimationFormat::kWebp:
      return "image/webp";
    case AnimationFormat::kMp4:
      return "video/mp4";
  }
  return "application/octet-stream";
}

}  // namespace ringway::engine
