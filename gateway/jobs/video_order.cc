#include "gateway/jobs/video_order.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/header_text.h"
#include "core/utf8.h"
#include "gateway/jobs/field_error.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kVideoPicture = "input_reference";
constexpr double kSecondsMax = 3600;
constexpr double kFramesMax = 100'000;
constexpr int kSideMax = 16384;
constexpr std::size_t kTypeBytesMax = 100;

// The beginning of it, for people; not cut within a letter.
std::string Shown(std::string_view text) {
  std::string_view shown = text.substr(0, 100);
  while (!shown.empty() && !IsUtf8(shown)) shown.remove_suffix(1);
  return std::string(shown);
}

absl::Status Wrong(std::string_view name, std::string_view found, std::string_view allowed) {
  return FieldError(name,
                    absl::StrCat(Shown(name), " is '", Shown(found), "'; allowed: ", AbslView(allowed)));
}

absl::Status ReadNumber(std::string_view name, std::string_view text, double max, bool whole, double& to) {
  const bool read = absl::SimpleAtod(absl::string_view(text.data(), text.size()), &to);
  if (!read || !(to > 0) || to > max || (whole && to != std::floor(to))) {
    return Wrong(name, text, absl::StrCat(whole ? "a whole number" : "a number", " above 0, at most ", max));
  }
  return absl::OkStatus();
}

absl::Status ReadSize(std::string_view text, std::uint32_t& pixels) {
  const std::size_t cross = text.find('x');
  int width = 0, height = 0;
  const bool read =
      cross != std::string_view::npos && absl::SimpleAtoi(absl::string_view(text.data(), cross), &width) &&
      absl::SimpleAtoi(absl::string_view(text.data() + cross + 1, text.size() - cross - 1), &height) &&
      std::min(width, height) > 0 && std::max(width, height) <= kSideMax;
  if (!read) {
    return Wrong("size", text, absl::StrCat("WIDTHxHEIGHT in pixels, each at most ", kSideMax));
  }
  pixels = static_cast<std::uint32_t>(width) * static_cast<std::uint32_t>(height);
  return absl::OkStatus();
}

// The value of a parameter as a count, if it has one.
absl::Status CountIn(const VideoOrder& order, const char* name, std::uint32_t& to) {
  const auto found = order.parameters.find(name);
  if (found == order.parameters.end()) return absl::OkStatus();
  double count = 0;
  absl::Status read = ReadNumber(name, found->second, kFramesMax, true, count);
  if (read.ok()) to = static_cast<std::uint32_t>(count);
  return read;
}

// Some servers take width and height for the size. They go to the worker as they are.
absl::Status ReadSides(VideoOrder& order) {
  const auto width = order.parameters.find("width"), height = order.parameters.find("height");
  if (!order.size.empty() || width == order.parameters.end() || height == order.parameters.end())
    return absl::OkStatus();
  std::uint32_t sides[2] = {};
  for (int i = 0; i < 2; ++i) {
    const auto& [name, value] = i == 0 ? *width : *height;
    double side = 0;
    if (absl::Status read = ReadNumber(name, value, kSideMax, true, side); !read.ok()) return read;
    sides[i] = static_cast<std::uint32_t>(side);
  }
  order.size = absl::StrCat(sides[0], "x", sides[1]);
  order.pixels = sides[0] * sides[1];
  return absl::OkStatus();
}

bool SaysFramesAndSteps(std::string_view name) {
  return name == "frames" || name == "num_frames" || name == "steps" || name == "num_inference_steps" ||
         name == "fps";
}

// Forms have no objects: clients write input_reference.image_url in one of these ways.
bool IsPictureText(std::string_view name) {
  return name == "input_reference" || name == "input_reference[image_url]" ||
         name == "input_reference.image_url";
}

void HashOn(std::uint64_t& hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ bytes.size()) * 0x100000001b3;
}

}  // namespace

std::uint64_t VideoOrder::Fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string_view part :
       {std::string_view(model), std::string_view(prompt), std::string_view(picture)})
    HashOn(hash, part);
  for (const auto& [name, value] : parameters) {
    HashOn(hash, name);
    HashOn(hash, value);
  }
  return hash;
}

absl::Status AddField(VideoOrder& order, std::string_view name, std::string_view value) {
  const std::size_t bytes_max = name == "prompt" ? kPromptBytesMax : kFieldBytesMax;
  if (IsPictureText(name)) return AddPictureText(order, value);
  if (name == "input_reference[file_id]" || name == "input_reference.file_id") {
    return FieldError(kVideoPicture,
                      "input_reference is a file_id, and no files are kept here; allowed: the picture itself "
                      "as a file, or as a data URL in image_url");
  }
  if (!IsUtf8(name) || !IsUtf8(value)) {
    return FieldError(name, absl::StrCat("field '", Shown(name), "' is not UTF-8"));
  }
  if (name.empty() || name.size() > 128 || value.size() > bytes_max) {
    return FieldError(name, absl::StrCat("field '", Shown(name), "' has ", value.size(),
                                         " bytes; allowed are ", bytes_max, ", and a name of 1 to 128"));
  }
  if (name == "prompt") {
    order.prompt = std::string(value);
  } else if (name == "model") {
    if (value.empty()) {
      return Wrong(name, value, "a model that GET /v1/models lists; leave it out for the only one there is");
    }
    order.model = std::string(value);
  } else if (name == "webhook_url") {
    order.webhook_url = std::string(value);
  } else if (name == "deadline_s") {
    return ReadNumber(name, value, 7 * 24 * 3600, false, order.deadline_s);
  } else {
    if (order.parameters.size() >= kFieldsMax) {
      return FieldError(name, absl::StrCat("field '", Shown(name), "' is one more than the ", kFieldsMax,
                                           " that are allowed"));
    }
    order.parameters[std::string(name)] = std::string(value);
  }
  return absl::OkStatus();
}

absl::Status AddPicture(VideoOrder& order, std::string_view bytes, std::string_view type) {
  if (bytes.empty()) return FieldError(kVideoPicture, "input_reference is empty; allowed: a picture");
  if (!order.picture.empty()) return FieldError(kVideoPicture, "input_reference is given twice");
  order.picture = std::string(bytes);
  order.pictures = {{std::string(kVideoPicture), ReadPictureHeader(bytes)}};
  // It travels in headers to the worker and what stands behind it.
  const std::optional<HeaderText> stated = HeaderText::Parse(type, kTypeBytesMax);
  if (!stated)
    return FieldError(kVideoPicture,
                      absl::StrCat("the content type of input_reference is '",
                                   HeaderText::Escaped(type).text(), "'; allowed: image/png and its like"));
  order.picture_type = type.empty() ? "application/octet-stream" : stated->text();
  return absl::OkStatus();
}

absl::StatusOr<DecodedPicture> DecodePictureText(std::string_view name, std::string_view text) {
  DecodedPicture picture;
  std::string_view encoded = text;
  if (text.starts_with("data:")) {
    constexpr std::string_view kMark = ";base64,";
    const std::size_t mark = text.substr(0, 256).find(kMark);
    if (mark == std::string_view::npos) return Wrong(name, text.substr(0, 32), "data:image/png;base64,...");
    picture.type = text.substr(5, mark - 5);
    encoded = text.substr(mark + kMark.size());
  } else if (text.starts_with("http:") || text.starts_with("https:")) {
    return Wrong(name, text, "the picture itself, as base64 or a data URL: nothing is fetched");
  }
  if (!absl::Base64Unescape(absl::string_view(encoded.data(), encoded.size()), &picture.bytes))
    return Wrong(name, text.substr(0, 32), "a picture as base64 or a data URL");
  return picture;
}

absl::Status AddPictureText(VideoOrder& order, std::string_view text) {
  const absl::StatusOr<DecodedPicture> picture = DecodePictureText("input_reference", text);
  if (!picture.ok()) return picture.status();
  return AddPicture(order, picture->bytes, picture->type);
}

absl::Status Complete(VideoOrder& order) {
  if (order.prompt.empty() && order.picture.empty()) {
    return FieldError("prompt", "prompt is missing; say what should be made");
  }
  double fps = kDefaultFps;
  for (const auto& [name, value] : order.parameters) {
    absl::Status read;
    double number = 0;
    if (name == "size") {
      order.size = value;
      read = ReadSize(value, order.pixels);
    } else if (name == "seconds") {
      order.seconds = value;
      read = ReadNumber(name, value, kSecondsMax, false, number);
    } else if (SaysFramesAndSteps(name)) {
      read = ReadNumber(name, value, kFramesMax, true, number);
      if (name == "fps") fps = number;
    }
    if (!read.ok()) return read;
  }
  for (const char* name : {"num_frames", "frames"}) {
    if (absl::Status read = CountIn(order, name, order.frames); !read.ok()) return read;
  }
  for (const char* name : {"num_inference_steps", "steps"}) {
    if (absl::Status read = CountIn(order, name, order.steps); !read.ok()) return read;
  }
  if (absl::Status read = ReadSides(order); !read.ok()) return read;
  double seconds = 0;
  if (order.frames == 0 && absl::SimpleAtod(order.seconds, &seconds)) {
    order.frames = static_cast<std::uint32_t>(std::clamp(std::round(seconds * fps), 1.0, kFramesMax));
  }
  order.fingerprint = order.Fingerprint();
  return absl::OkStatus();
}

}  // namespace ringway::gateway
