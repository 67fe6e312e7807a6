// What `ringway generate --prompts` reads and where it writes: prompts, one a line, and a picture for each in
// one folder.
//
// The picture of line 7 is FOLDER/0007.png, so that the two are told apart by nothing but their place; that
// is why a line without a prompt is refused and not left out. A line break at the end is no line, and that
// of other systems is none of the prompt.
//
// Threads: any. Complexity: as large as the file, of which at most kPromptLinesMax lines are read.
#ifndef RINGWAY_CLI_PROMPT_LIST_H_
#define RINGWAY_CLI_PROMPT_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ringway::cli {

constexpr std::size_t kPromptLinesMax = 9999;

// Errors: NotFound for a file that cannot be opened; InvalidArgument, with the line, for an empty one, and
// for too many lines or none.
absl::StatusOr<std::vector<std::string>> ReadPrompts(const std::string& file);

// Made if it is absent, its parents too. Errors: InvalidArgument for what is no folder and cannot become one.
absl::Status MakeFolder(const std::string& folder);

// `line` from 1.
std::string NumberedPicture(const std::string& folder, std::size_t line);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PROMPT_LIST_H_
