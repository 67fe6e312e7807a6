# The shell commands of a Markdown page as one bash script: its fenced blocks marked `sh`, in order, the way
# tests/docs/code_blocks.cc reads them. Each block says first, on standard error, where it stands.
#
#     awk -v page=docs/quickstart.md -f tools/docs/blocks.awk docs/quickstart.md
#
# `<!-- not run: WHY -->` on the line before a fence leaves the block out; where WHY begins with "in tests:", the
# block is kept, for only tests have no use for it.
function trimmed(text) {
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  return text
}
BEGIN { print "set -euo pipefail" }
{
  word = trimmed($0)
  if (word ~ /^```/) {
    ours = !inside && word == "```sh"
    inside = !inside
    kept = ours
    if (ours && before ~ /^<!-- not run:.*-->$/) {
      why = trimmed(substr(before, 14, length(before) - 16))
      if (why !~ /^in tests:/) {
        kept = 0
        printf "# %s:%d not run: %s\n", page, NR + 1, why
      }
    }
    if (kept) printf "echo '== %s:%d' >&2\n", page, NR + 1
  } else if (inside && kept) {
    print word
  }
  before = word
}
