#include "engine/picture_order.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/absl_view.h"
#include "engine/media/decode.h"
#include "engine/text/unicode.h"

namespace ringway::engine {
namespace {

constexpr char kPictureSettings[] =
    "negative_prompt, seed, size, steps, guidance, scheduler, clip_skip, strength, lora, control, "
    "control_strength, control_start, control_end, pictures";
constexpr std::size_t kPicturesMax = 4;

// Text of a stranger, or of the command line, as a file or a message may hold it: what is no UTF-8 becomes
// the mark that replaces it.
std::string Readable(std::string_view text) {
  std::string readable;
  while (!text.empty()) AppendUtf8(TakeCharacter(text), readable);
  return readable;
}

std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", Readable(text.substr(0, std::min<std::size_t>(text.size(), 100))), "\"");
}

absl::Status Wrong(std::string_view name, std::string_view text, const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(AbslView(name), " is ", Quoted(text), "; allowed: ", allowed));
}

absl::Status WholeNumber(std::string_view name, const std::string& text, int low, int high, int& to) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < low || value > high)
    return Wrong(name, text, absl::StrCat("a whole number from ", low, " to ", high));
  to = value;
  return absl::OkStatus();
}

absl::Status NumberIn(std::string_view name, const std::string& text, double low, double high, double& to) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !(value >= low && value <= high))
    return Wrong(name, text, absl::StrCat("a number from ", low, " to ", high));
  to = value;
  return absl::OkStatus();
}

absl::Status ReadSize(const std::string& text, PictureRequest& request) {
  const std::vector<std::string> sides = absl::StrSplit(text, 'x');
  if (sides.size() == 2 && absl::SimpleAtoi(sides[0], &request.width) &&
      absl::SimpleAtoi(sides[1], &request.height) && request.width > 0 && request.height > 0)
    return absl::OkStatus();
  return Wrong("size", text, "WIDTHxHEIGHT in pixels, as 512x768");
}

absl::Status Unregistered(const char* kind, const std::string& name,
                          const std::map<std::string, std::string>& files) {
  std::vector<std::string> names;
  for (const auto& [registered, file] : files) names.push_back(registered);
  return absl::InvalidArgumentError(
      absl::StrCat(kind, " ", Quoted(name), " is not registered here; ",
                   names.empty() ? "none is" : absl::StrCat("there are: ", absl::StrJoin(names, ", "))));
}

absl::Status AddAdapters(const std::string& text, const PictureFiles& files, PictureRequest& request) {
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    const NamedStrength named = SplitStrength(std::string(absl::StripAsciiWhitespace(word)));
    const auto file = files.adapters.find(named.name);
    if (file == files.adapters.end()) return Unregistered("lora", named.name, files.adapters);
    request.adapters.push_back({file->second, named.strength});
  }
  return absl::OkStatus();
}

// The parts of a payload, by their names.
absl::StatusOr<std::map<std::string, std::string_view>> SplitPayload(std::string_view payload,
                                                                     const std::string* list) {
  std::map<std::string, std::string_view> parts;
  if (list == nullptr) {
    if (!payload.empty()) parts["image"] = payload;
    return parts;
  }
  const std::vector<std::string> entries = absl::StrSplit(*list, ',');
  for (const std::string& entry : entries) {
    const std::pair<std::string, std::string> named = absl::StrSplit(entry, absl::MaxSplits('=', 1));
    std::uint64_t bytes = 0;
    if (entries.size() > kPicturesMax || !absl::SimpleAtoi(named.second, &bytes) || bytes == 0 ||
        bytes > payload.size() || parts.contains(named.first))
      return Wrong("pictures", *list,
                   absl::StrCat("NAME=BYTES for each picture of the payload, which has ", payload.size(),
                                " bytes too few or too many"));
    parts[named.first] = payload.substr(0, bytes);
    payload.remove_prefix(bytes);
  }
  if (payload.empty()) return parts;
  return Wrong("pictures", *list, absl::StrCat(payload.size(), " bytes more of payload"));
}

absl::Status Decode(const std::string& name, std::string_view bytes, std::optional<Picture>& to) {
  absl::StatusOr<Picture> picture = DecodePicture(bytes);
  if (!picture.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", picture.status().message()));
  to = *std::move(picture);
  return absl::OkStatus();
}

absl::Status ReadMask(std::string_view bytes, PictureRequest& request) {
  absl::StatusOr<Picture> mask = DecodeMask(bytes);
  if (!mask.ok()) return absl::InvalidArgumentError(absl::StrCat("mask: ", mask.status().message()));
  request.mask = *std::move(mask);
  request.strength = 1;  // what is drawn anew has nothing to stay near to, unless the order says so
  return absl::OkStatus();
}

absl::Status ReadPictures(std::string_view payload, const std::string* list, PictureRequest& request) {
  const auto parts = SplitPayload(payload, list);
  if (!parts.ok()) return parts.status();
  for (const auto& [name, bytes] : *parts) {
    absl::Status read;
    if (name == "image")
      read = Decode(name, bytes, request.start);
    else if (name == "mask")
      read = ReadMask(bytes, request);
    else if (name == "control") {
      std::optional<Picture> seen;
      read = Decode(name, bytes, seen);
      if (read.ok()) request.controls.push_back({{}, *std::move(seen)});
    } else
      read = absl::InvalidArgumentError(
          absl::StrCat("there is no picture ", Quoted(name), "; allowed: image, mask, control"));
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

absl::Status ReadControl(const std::string& name, const std::string& text, const PictureFiles& files,
                         PictureRequest& request) {
  if (request.controls.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is given, but no picture \"control\", so it has no effect"));
  ControlRequest& control = request.controls.front();
  if (name == "control") {
    const auto directory = files.controls.find(text);
    if (directory == files.controls.end()) return Unregistered("control", text, files.controls);
    control.network = directory->second;
    return absl::OkStatus();
  }
  if (name == "control_strength") return NumberIn(name, text, -10, 10, control.strength);
  if (name == "control_start") return NumberIn(name, text, 0, 1, control.begin);
  if (name == "control_end") return NumberIn(name, text, 0, 1, control.end);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown setting ", Quoted(name), "; allowed: ", kPictureSettings));
}

absl::Status ReadPictureSetting(const std::string& name, const std::string& text, const PictureFiles& files,
                                PictureRequest& request) {
  if (name == "negative_prompt" || name == "negative") {
    request.negative = text;
    return absl::OkStatus();
  }
  if (name == "seed") {
    if (absl::SimpleAtoi(text, &request.seed)) return absl::OkStatus();
    return Wrong(name, text, "a whole number from 0");
  }
  if (name == "size") return ReadSize(text, request);
  if (name == "steps" || name == "num_inference_steps")
    return WholeNumber(name, text, 1, 1000, request.steps);
  if (name == "clip_skip") return WholeNumber(name, text, 0, 64, request.clip_skip);
  if (name == "guidance" || name == "guidance_scale") {
    double guidance = 0;
    const absl::Status read = NumberIn(name, text, 0, 100, guidance);
    if (read.ok()) request.guidance = guidance;
    return read;
  }
  if (name == "strength") {
    if (!request.start)
      return absl::InvalidArgumentError("strength is given, but no image to start from, so it has no effect");
    return NumberIn(name, text, 0, 1, request.strength);
  }
  if (name == "scheduler") {
    request.scheduler = text;  // checked by the engine, which knows their names
    return absl::OkStatus();
  }
  if (name == "lora") return AddAdapters(text, files, request);
  if (name.starts_with("control")) return ReadControl(name, text, files, request);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown setting ", Quoted(name), "; allowed: ", kPictureSettings));
}

}  // namespace

NamedStrength SplitStrength(const std::string& text) {
  NamedStrength named{text};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && absl::SimpleAtod(text.substr(colon + 1), &named.strength))
    named.name = text.substr(0, colon);
  else
    named.strength = 1;
  return named;
}

absl::StatusOr<PictureRequest> ReadPictureOrder(std::string_view payload, std::string_view prompt,
                                                const std::map<std::string, std::string>& settings,
                                                const PictureFiles& files) {
  PictureRequest request;
  request.prompt = std::string(prompt);
  const auto list = settings.find("pictures");
  absl::Status read = ReadPictures(payload, list == settings.end() ? nullptr : &list->second, request);
  for (auto setting = settings.begin(); read.ok() && setting != settings.end(); ++setting)
    if (setting != list) read = ReadPictureSetting(setting->first, setting->second, files, request);
  if (!read.ok()) return read;
  if (!request.controls.empty() && request.controls.front().network.empty())
    return absl::InvalidArgumentError("a picture \"control\" is given, but no control that follows it");
  for (const auto& [word, file] : files.words)
    if (request.prompt.find(word) != std::string::npos || request.negative.find(word) != std::string::npos)
      request.words.push_back({word, file});
  return request;
}

PngTexts DrawnTexts(const PictureRequest& request, const DrawnPicture& drawn, const std::string& software,
                    const std::string& model, const std::string& start) {
  PngTexts texts = {{"Software", software},
                    {"prompt", Readable(request.prompt)},
                    {"negative prompt", Readable(request.negative)},
                    {"model", Readable(model)},
                    {"seed", absl::StrCat(request.seed)},
                    {"steps", absl::StrCat(drawn.steps)},
                    {"guidance", absl::StrCat(drawn.guidance)},
                    {"scheduler", drawn.scheduler},
                    {"size", absl::StrCat(drawn.picture.width, "x", drawn.picture.height)}};
  if (request.clip_skip > 0) texts.emplace_back("clip skip", absl::StrCat(request.clip_skip));
  for (const AdapterFile& adapter : request.adapters)
    texts.emplace_back("lora", absl::StrCat(Readable(std::filesystem::path(adapter.path).filename().string()),
                                            ":", adapter.strength));
  for (const ControlRequest& control : request.controls)
    texts.emplace_back("control",
                       absl::StrCat(Readable(std::filesystem::path(control.network).filename().string()), ":",
                                    control.strength, ", ", control.begin, " to ", control.end));
  for (const LearntWord& word : request.words) texts.emplace_back("learnt word", Readable(word.word));
  if (request.mask) texts.emplace_back("mask", "a part of the picture was drawn anew");
  if (request.start) {
    if (!start.empty()) texts.emplace_back("init", Readable(start));
    texts.emplace_back("strength", absl::StrCat(request.strength));
  }
  for (const std::string& note : drawn.notes) texts.emplace_back("note", Readable(note));
  return texts;
}

}  // namespace ringway::engine
