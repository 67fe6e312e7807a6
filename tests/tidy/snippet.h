// What the rules' self-tests share: a tree of doctored snippets, and a rule's findings on it.
//
// A self-test writes a snippet that breaks one rule, and one beside it that only looks like breaking it; the
// rule must report the first and not the second. Paths matter: they decide which layer a snippet belongs to.
// Threads: test code.
#ifndef RINGWAY_TESTS_TIDY_SNIPPET_H_
#define RINGWAY_TESTS_TIDY_SNIPPET_H_

#include <initializer_list>
#include <string>
#include <utility>

#include "tests/tidy/rules.h"

namespace ringway::tidy {

inline SourceTree Tree(std::initializer_list<std::pair<std::string, std::string>> snippets) {
  SourceTree tree;
  for (const auto& [path, text] : snippets) tree.files.push_back(MakeFile(path, text));
  return tree;
}

inline Findings FindingsOf(void (*rule)(const SourceTree&, Findings&), const SourceTree& tree) {
  Findings findings;
  rule(tree, findings);
  return findings;
}

inline Findings FindingsOf(void (*rule)(const SourceTree&, Findings&), std::string path, std::string text) {
  return FindingsOf(rule, Tree({{std::move(path), std::move(text)}}));
}

}  // namespace ringway::tidy

#endif  // RINGWAY_TESTS_TIDY_SNIPPET_H_
