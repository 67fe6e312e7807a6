// The house rules that a program can check, one function each.
//
// A rule looks at a SourceTree and appends what it found; it never stops at the first finding. tidy_test runs
// each rule over the checkout and expects nothing; the rule's self-test doctors a snippet and expects it to
// be caught, so that a rule which went blind is noticed. The tables behind the rules (layers, banned tokens,
// exemptions) stand at the top of the file that implements the rule, each exemption with its reason.
//
// Adding a rule: a function here, a line in kRules, a self-test. Complexity: each is linear in the text,
// times its number of tokens. Threads: pure functions.
#ifndef RINGWAY_TESTS_TIDY_RULES_H_
#define RINGWAY_TESTS_TIDY_RULES_H_

#include <ostream>

#include "tests/tidy/source_tree.h"

namespace ringway::tidy {

// layers.cc: who may include whom, and which library belongs to which folder.
void CheckLayers(const SourceTree& tree, Findings& findings);
// purity.cc: no clock, randomness, I/O, lock, log or exception in the code that decides; determinism.
void CheckPurity(const SourceTree& tree, Findings& findings);
bool IsPure(const SourceFile& file);
// fences.cc: no shell orders epochs, fences or incarnations.
void CheckFences(const SourceTree& tree, Findings& findings);
// sizes.cc: lines of files and functions, functions of classes.
void CheckFileSizes(const SourceTree& tree, Findings& findings);
void CheckFunctionSizes(const SourceTree& tree, Findings& findings);
void CheckClassSizes(const SourceTree& tree, Findings& findings);
// notes.cc: the note that opens a header, include guards.
void CheckHeaderNotes(const SourceTree& tree, Findings& findings);
void CheckIncludeGuards(const SourceTree& tree, Findings& findings);
// words.cc: names that say nothing, open ends, hosts, blanks.
void CheckNames(const SourceTree& tree, Findings& findings);
void CheckOpenEnds(const SourceTree& tree, Findings& findings);
void CheckHostsAndPaths(const SourceTree& tree, Findings& findings);
void CheckWhitespace(const SourceTree& tree, Findings& findings);
// references.cc: what the documents name exists, and every source is built by somebody.
void CheckDocumentedPaths(const SourceTree& tree, Findings& findings);
void CheckSourcesAreBuilt(const SourceTree& tree, Findings& findings);

struct Rule {
  const char* name;
  void (*check)(const SourceTree&, Findings&);
  friend void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }
};
inline constexpr Rule kRules[] = {
    {"Layers", CheckLayers},
    {"Purity", CheckPurity},
    {"Fences", CheckFences},
    {"FileSizes", CheckFileSizes},
    {"FunctionSizes", CheckFunctionSizes},
    {"ClassSizes", CheckClassSizes},
    {"HeaderNotes", CheckHeaderNotes},
    {"IncludeGuards", CheckIncludeGuards},
    {"Names", CheckNames},
    {"OpenEnds", CheckOpenEnds},
    {"HostsAndPaths", CheckHostsAndPaths},
    {"Whitespace", CheckWhitespace},
    {"DocumentedPaths", CheckDocumentedPaths},
    {"SourcesAreBuilt", CheckSourcesAreBuilt},
};

}  // namespace ringway::tidy

#endif  // RINGWAY_TESTS_TIDY_RULES_H_
