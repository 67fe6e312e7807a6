#include "tests/docs/code_blocks.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace ringway {
namespace {

constexpr char kExcuse[] = "<!-- not run:";
constexpr char kExcuseEnd[] = "-->";

}  // namespace

std::vector<CodeBlock> ShellBlocks(std::string_view markdown) {
  std::vector<CodeBlock> blocks;
  std::string before;  // the line above
  bool inside = false, ours = false;
  int number = 0;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(markdown.data(), markdown.size()), '\n')) {
    ++number;
    const absl::string_view word = absl::StripAsciiWhitespace(line);
    if (absl::StartsWith(word, "```")) {
      ours = !inside && word == "```sh";
      inside = !inside;
      if (ours) {
        CodeBlock block{.line = number + 1};
        if (absl::StartsWith(before, kExcuse) && absl::EndsWith(before, kExcuseEnd)) {
          const std::size_t from = sizeof kExcuse - 1;
          const std::string reason = before.substr(from, before.size() - from - (sizeof kExcuseEnd - 1));
          block.run = false;
          block.excuse = std::string(absl::StripAsciiWhitespace(reason));
        }
        blocks.push_back(block);
      }
    } else if (inside && ours) {
      blocks.back().text += std::string(word) + "\n";
    }
    before = std::string(word);
  }
  return blocks;
}

}  // namespace ringway
