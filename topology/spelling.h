// "Did you mean ...": the known word nearest to one that is not known.
//
// Optimal string alignment distance (Damerau-Levenshtein without repeated edits of one place): an omitted,
// added, changed or swapped letter costs 1; case costs nothing. A word is suggested when it is within a third
// of its length, at least 1 and at most 3. Cost: product of the lengths, words are cut at 64 bytes.
#ifndef RINGWAY_TOPOLOGY_SPELLING_H_
#define RINGWAY_TOPOLOGY_SPELLING_H_

#include <string>
#include <string_view>
#include <vector>

namespace ringway {

int SpellingDistance(std::string_view a, std::string_view b);

// The nearest of `known`, the first one of equals; empty when none is near.
std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& known);

// `did you mean "near"?`, or empty.
std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_SPELLING_H_
