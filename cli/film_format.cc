#include "cli/film_format.h"

#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode.h"
#include "topology/problems.h"

namespace ringway::cli {
namespace {

constexpr char kParameter[] = "format";
constexpr char kMp4[] = "mp4";
constexpr char kStill[] = "png";

// Two names of one format, as png and apng, are the same.
bool SameFormat(const std::string& a, const std::string& b) {
  const auto first = engine::AnimationFormatOf(a), second = engine::AnimationFormatOf(b);
  return a == b || (first && first == second);
}

}  // namespace

std::string FilmFormatOf(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  if (ending.empty()) return "";
  ending = absl::AsciiStrToLower(ending.substr(1));
  if (ending == kStill) return "";
  return ending == kMp4 || engine::AnimationFormatOf(ending) ? ending : "";
}

absl::Status ChooseFilmFormat(const std::string& out, v1::JobHeader& header) {
  auto& parameters = *header.mutable_parameters();
  const auto given = parameters.find(kParameter);
  if (given != parameters.end() && given->second.empty()) {
    parameters.erase(kParameter);
    return absl::OkStatus();
  }
  const std::string chosen = FilmFormatOf(out);
  if (chosen.empty()) return absl::OkStatus();
  if (given == parameters.end()) {
    parameters[kParameter] = chosen;
    return absl::OkStatus();
  }
  if (SameFormat(given->second, chosen)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--param format=", given->second, " contradicts --out ", Quoted(out), ", whose ending chooses ", chosen,
      "; leave the parameter out, or give the file another ending"));
}

}  // namespace ringway::cli
