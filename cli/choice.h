// An option whose value is one of a few words.
//
// The help lists the words; what is none of them is answered with the words and the likely one. CLI11's own
// checks print the numbers behind an enumeration and suggest nothing.
//
// Threads: called while the command line is set up. `value` must outlive the parsing.
#ifndef RINGWAY_CLI_CHOICE_H_
#define RINGWAY_CLI_CHOICE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/flags.h"
#include "topology/spelling.h"

namespace ringway::cli {

// What is wrong with `word`; empty: it is one of `words`.
inline std::string WrongChoice(std::string_view word, const std::vector<std::string>& words) {
  for (const std::string& known : words) {
    if (word == known) return "";
  }
  const std::string suggestion = DidYouMean(word, {words.begin(), words.end()});
  return absl::StrCat("found \"", std::string(word), "\"; allowed: ", absl::StrJoin(words, ", "),
                      suggestion.empty() ? "" : "\nringway: ", suggestion);
}

// A check that the word is one of `words`.
inline flags::Check OneOf(std::vector<std::string> words) {
  return [words = std::move(words)](std::string& word) { return WrongChoice(word, words); };
}

// Adds an option that takes one of the words; the word of the value before is its default.
template <class Value>
flags::Option AddChoice(flags::Command app, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices, const std::string& about) {
  std::vector<std::string> words;
  std::string standard;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    if (meaning == value) standard = word;
  }
  return app
      .AddText(
          name,
          [&value, choices](const std::string& given) {
            for (const auto& [word, meaning] : choices) {
              if (word == given) value = meaning;
            }
          },
          about)
      .TypeName(absl::StrJoin(words, "|"))
      .Check(OneOf(words))
      .DefaultText(standard);
}

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_CHOICE_H_
