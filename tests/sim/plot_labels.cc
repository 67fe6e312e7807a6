#include "tests/sim/plot_labels.h"

#include <regex>

namespace ringway {

double Attribute(const std::string& tag, const std::string& name) {
  std::smatch found;
  return std::regex_search(tag, found, std::regex(" " + name + "=\"([-0-9.]+)\"")) ? std::stod(found[1]) : 0;
}

std::vector<Label> LabelsOf(const std::string& svg) {
  std::vector<Label> labels;
  const std::regex element("<text([^>]*)>([^<]*)</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), element), none; it != none; ++it) {
    const std::string tag = (*it)[1];
    const auto is = [&tag](const char* part) { return tag.find(part) != std::string::npos; };
    const double size = is("class=\"h") ? 12 : is("class=\"s") ? 10 : 11;
    Label label{.text = (*it)[2]};
    const double width = 0.58 * size * static_cast<double>(label.text.size());
    const double x = Attribute(tag, "x"), y = Attribute(tag, "y");
    label.left = is("\"end\"") ? x - width : is("\"middle\"") ? x - width / 2 : x;
    label.right = label.left + width;
    label.top = y - 0.76 * size;
    label.bottom = y + 0.22 * size;
    labels.push_back(label);
  }
  return labels;
}

std::vector<std::string> Covered(const std::vector<Label>& labels) {
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      const Label &a = labels[i], &b = labels[j];
      const bool beside = a.right <= b.left || b.right <= a.left;
      const bool above = a.bottom <= b.top || b.bottom <= a.top;
      if (!beside && !above) pairs.push_back("\"" + a.text + "\" and \"" + b.text + "\"");
    }
  }
  return pairs;
}

std::vector<std::string> OutsideOf(const std::string& svg) {
  std::smatch box;
  if (!std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\""))) return {"no viewBox"};
  const double width = std::stod(box[1]), height = std::stod(box[2]);
  std::vector<std::string> outside;
  for (const Label& label : LabelsOf(svg)) {
    if (label.left < 0 || label.top < 0 || label.right > width || label.bottom > height) {
      outside.push_back("\"" + label.text + "\"");
    }
  }
  return outside;
}

}  // namespace ringway
