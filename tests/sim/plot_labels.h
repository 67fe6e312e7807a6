// The labels of a plot's SVG as boxes, by a careful guess of how wide its letters are: what covers what, and
// what runs out of the picture.
//
// Sizes are those of the plots' style: 11 px, headings 12, small ones 10; a letter is 0.58 of its size wide
// on average. Pure; quadratic in the labels.
#ifndef RINGWAY_TESTS_SIM_PLOT_LABELS_H_
#define RINGWAY_TESTS_SIM_PLOT_LABELS_H_

#include <string>
#include <vector>

namespace ringway {

struct Label {
  std::string text;
  double left = 0, right = 0, top = 0, bottom = 0;  // px
};

// A number of a tag: " x" of `<text class="t" x="5">` is 5; 0 when absent.
double Attribute(const std::string& tag, const std::string& name);
std::vector<Label> LabelsOf(const std::string& svg);
// Pairs of labels that cover each other, for people.
std::vector<std::string> Covered(const std::vector<Label>& labels);
// Labels that are not wholly inside the picture's viewBox.
std::vector<std::string> OutsideOf(const std::string& svg);

}  // namespace ringway

#endif  // RINGWAY_TESTS_SIM_PLOT_LABELS_H_
