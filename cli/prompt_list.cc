#include "cli/prompt_list.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::cli {

absl::StatusOr<std::vector<std::string>> ReadPrompts(const std::string& file) {
  std::error_code error;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, error))
    return absl::NotFoundError(absl::StrCat(file, ": cannot be opened"));
  std::vector<std::string> prompts;
  for (std::string line; std::getline(stream, line);) {
    if (prompts.size() == kPromptLinesMax)
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": has more than ", kPromptLinesMax, " lines; split it"));
    prompts.emplace_back(absl::StripAsciiWhitespace(line));
    if (prompts.back().empty())
      return absl::InvalidArgumentError(
          absl::StrCat(file, ":", prompts.size(), ": is empty; allowed: one prompt a line"));
  }
  if (prompts.empty())
    return absl::InvalidArgumentError(absl::StrCat(file, ": is empty; allowed: one prompt a line"));
  return prompts;
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (std::filesystem::is_directory(folder, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      folder, ": is no folder and cannot be made one; with --prompts, -o names the folder of the pictures"));
}

std::string NumberedPicture(const std::string& folder, std::size_t line) {
  return (std::filesystem::path(folder) / absl::StrFormat("%04d.png", line)).string();
}

}  // namespace ringway::cli
