#include "gateway/jobs/image_order.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/header_text.h"
#include "gateway/jobs/field_error.h"

namespace ringway::gateway {
namespace {

// Fields of OpenAI's own models, with the values that ask for nothing.
struct ForeignField {
  std::string_view name;
  std::string_view nothing;  // separated by spaces
};
constexpr ForeignField kForeign[] = {
    {"quality", "auto standard"},
    {"style", ""},
    {"background", "auto"},
    {"moderation", "auto"},
    {"output_compression", "100"},
    {"partial_images", "0"},
    {"stream", "false"},
    {"input_fidelity", ""},
    {"response_format", "b64_json"},
    {"output_format", "png"},
};

constexpr char kVariationStrength[] = "0.5";

bool Lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string_view RemedyOf(std::string_view name) {
  if (name == "response_format")
    return "; images are answered as base64, addresses to fetch them from are not offered";
  if (name == "output_format") return "; other formats are not offered";
  if (name == "stream" || name == "partial_images") return "; images are answered when they are whole";
  return "; leave it out: the models here have no such setting";
}

// Nothing: it is none of these.
std::optional<absl::Status> CheckForeign(std::string_view name, std::string_view value) {
  for (const ForeignField& field : kForeign) {
    if (field.name != name) continue;
    if (Lists(field.nothing, value)) return absl::OkStatus();
    std::string allowed(field.nothing.substr(0, field.nothing.find(' ')));
    return FieldError(
        name,
        absl::StrCat(AbslView(name), " is '", HeaderText::Escaped(value.substr(0, 100)).text(), "'",
                     allowed.empty() ? "" : absl::StrCat("; allowed: ", allowed), AbslView(RemedyOf(name))));
  }
  return std::nullopt;
}

// What clients write for "the model's own".
bool IsOwnSize(std::string_view name, std::string_view value) { return name == "size" && value == "auto"; }

}  // namespace

std::string* ImageOrderReader::PictureOf(std::string_view name) {
  const bool reads = kind_ != ImageCallKind::kGeneration;
  if (reads && (name == "image" || name == "image[]")) return &image_;
  if (kind_ == ImageCallKind::kEdit && name == "mask") return &mask_;
  if (name == "control_image") return &control_;
  return nullptr;
}

absl::Status ImageOrderReader::AddPictureTo(std::string& to, std::string_view name, std::string_view bytes,
                                            std::string_view type) {
  const std::string shown(name.substr(0, 32));
  if (bytes.empty()) return FieldError(name, absl::StrCat(shown, " is empty; allowed: a picture"));
  if (!to.empty()) return FieldError(name, absl::StrCat(shown, " is given twice; one picture is taken"));
  VideoOrder checked;  // of its type, which travels in headers
  if (absl::Status status = AddPicture(checked, "x", type); !status.ok())
    return FieldError(
        name,
        absl::StrCat(shown, ": its content type is not printable ASCII; allowed: image/png and its like"));
  to = std::string(bytes);
  if (&to == &image_ || type_.empty()) type_ = checked.picture_type;
  return absl::OkStatus();
}

absl::Status ImageOrderReader::AddFile(std::string_view name, std::string_view bytes, std::string_view type) {
  if (std::string* to = PictureOf(name)) return AddPictureTo(*to, name, bytes, type);
  return FieldError(
      name, absl::StrCat("field '", HeaderText::Escaped(name.substr(0, 100)).text(),
                         "' is a file; allowed here: ", kind_ == ImageCallKind::kGeneration ? "" : "image, ",
                         kind_ == ImageCallKind::kEdit ? "mask, " : "", "control_image"));
}

absl::Status ImageOrderReader::Add(std::string_view name, std::string_view value) {
  if (std::string* to = PictureOf(name)) {
    const absl::StatusOr<DecodedPicture> picture = DecodePictureText(name, value);
    if (!picture.ok()) return picture.status();
    return AddPictureTo(*to, name, picture->bytes, picture->type);
  }
  if (const auto foreign = CheckForeign(name, value)) return *foreign;
  if (name == "user" || IsOwnSize(name, value)) return absl::OkStatus();
  if (name == "n") {
    if (absl::SimpleAtoi(AbslView(value), &count_) && count_ >= 1 && count_ <= kImagesMax)
      return absl::OkStatus();
    return FieldError(name, absl::StrCat("n is '", HeaderText::Escaped(value.substr(0, 100)).text(),
                                         "'; allowed: a whole number from 1 to ", kImagesMax));
  }
  if (name == "pictures" || name == "webhook_url" || name == "image" || name == "mask")
    return FieldError(name, absl::StrCat("field '", AbslView(name), "' is not one of this call"));
  return AddField(order_, name, value);
}

void ImageOrderReader::JoinPictures() {
  const std::pair<const char*, std::string*> pictures[] = {
      {"image", &image_}, {"mask", &mask_}, {"control", &control_}};
  std::string list;
  int count = 0;
  for (const auto& [name, bytes] : pictures) {
    if (bytes->empty()) continue;
    absl::StrAppend(&list, list.empty() ? "" : ",", name, "=", bytes->size());
    ++count;
    order_.pictures.push_back(
        {bytes == &control_ ? "control_image" : std::string(name), ReadPictureHeader(*bytes)});
    order_.picture.append(*bytes);
    *bytes = {};
  }
  if (order_.picture.empty()) return;
  order_.picture_type = count == 1 ? type_ : "application/octet-stream";
  // A single image is a payload like any other: whoever stands behind the worker can read it.
  if (count > 1 || !list.starts_with("image=")) order_.parameters["pictures"] = list;
}

absl::StatusOr<VideoOrder> ImageOrderReader::Finish() {
  if (kind_ != ImageCallKind::kVariation && order_.prompt.empty())
    return FieldError("prompt", "prompt is missing; say what should be drawn");
  if (kind_ == ImageCallKind::kVariation && !order_.prompt.empty())
    return FieldError("prompt", "prompt is not a field of variations; POST /v1/images/edits takes one");
  if (kind_ != ImageCallKind::kGeneration && image_.empty())
    return FieldError("image", "image is missing; allowed: a picture as a file, base64 or a data URL");
  if (const auto seed = order_.parameters.find("seed"); seed != order_.parameters.end()) {
    std::uint64_t number = 0;
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max() - kImagesMax;
    if (!absl::SimpleAtoi(seed->second, &number) || number > kMax)
      return FieldError("seed", absl::StrCat("seed is '", seed->second.substr(0, 100),
                                             "'; allowed: a whole number from 0"));
  }
  if (kind_ == ImageCallKind::kVariation) {
    // Without words there is nothing to be guided to, which takes half the work.
    order_.parameters.try_emplace("strength", kVariationStrength);
    if (!order_.parameters.contains("guidance_scale")) order_.parameters.try_emplace("guidance", "1");
  }
  JoinPictures();
  if (absl::Status complete = Complete(order_); !complete.ok()) return complete;
  order_.images = count_;
  if (order_.frames == 0) order_.frames = 1;  // by which a worker that makes films too knows a still
  // A key belongs to all of a request: more pictures are another one, and so is the other call.
  for (const auto part : {static_cast<std::uint64_t>(kind_), static_cast<std::uint64_t>(count_)})
    order_.fingerprint = (order_.fingerprint ^ (part + 1)) * 0x100000001b3;
  return std::move(order_);
}

}  // namespace ringway::gateway
