// The shell commands of a Markdown page: its fenced blocks marked `sh`, in order.
//
// A comment `<!-- not run: WHY -->` on the line before a fence excuses the block; the reason is kept. Blocks
// may be indented, as in lists. Threads: pure.
#ifndef RINGWAY_TESTS_DOCS_CODE_BLOCKS_H_
#define RINGWAY_TESTS_DOCS_CODE_BLOCKS_H_

#include <string>
#include <string_view>
#include <vector>

namespace ringway {

struct CodeBlock {
  int line = 0;  // of the first command, from 1
  std::string text = {};
  bool run = true;
  std::string excuse = {};
};

std::vector<CodeBlock> ShellBlocks(std::string_view markdown);

}  // namespace ringway

#endif  // RINGWAY_TESTS_DOCS_CODE_BLOCKS_H_
