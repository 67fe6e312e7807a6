// No label of a shipped plot covers another one, by a careful guess of how wide its letters are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path kPlots = fs::path(RINGWAY_SOURCE_DIR) / "docs/plots";

struct Label {
  std::string text;
  double left = 0, right = 0, top = 0, bottom = 0;  // px
};

double Attribute(const std::string& tag, const std::string& name) {
  std::smatch found;
  return std::regex_search(tag, found, std::regex(" " + name + "=\"([-0-9.]+)\"")) ? std::stod(found[1]) : 0;
}

// Sizes as in the plots' style: 11 px, headings 12, small ones 10. A letter is 0.58 of its size wide on
// average.
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
      if (!beside && !above) pairs.push_back(absl::StrCat("\"", a.text, "\" and \"", b.text, "\""));
    }
  }
  return pairs;
}

TEST(PlotsTest, NoLabelCoversAnother) {
  int plots = 0;
  for (const auto& entry : fs::directory_iterator(kPlots)) {
    if (entry.path().extension() != ".svg") continue;
    const std::vector<Label> labels = LabelsOf(ReadText(entry.path()));
    EXPECT_GT(labels.size(), 10u) << entry.path();
    EXPECT_THAT(Covered(labels), IsEmpty()) << entry.path();
    ++plots;
  }
  EXPECT_GE(plots, 13);
}

TEST(PlotsTest, LabelsThatCoverEachOtherAreFound) {
  const std::string one = "<text class=\"t\" x=\"100\" y=\"50\">latency, s</text>";
  EXPECT_THAT(Covered(LabelsOf(one + "<text class=\"t\" x=\"130\" y=\"55\">wait</text>")),
              ::testing::SizeIs(1));
  EXPECT_THAT(Covered(LabelsOf(one + "<text class=\"t\" x=\"100\" y=\"64\">wait</text>")), IsEmpty());
  EXPECT_THAT(Covered(LabelsOf(one + "<text class=\"s\" x=\"95\" y=\"50\" text-anchor=\"end\">0.5</text>")),
              IsEmpty());
}

// README shows an event: something in its plot has to move by a good part of the panel's height.
TEST(PlotsTest, TheEventOfReadmesPlotShowsInItsWaits) {
  const std::string readme = ReadText(fs::path(RINGWAY_SOURCE_DIR) / "README.md");
  std::smatch name;
  ASSERT_TRUE(std::regex_search(readme, name, std::regex("\\(docs/plots/([a-z-]+)\\.svg\\)")));
  const std::string svg = ReadText(kPlots / (name[1].str() + ".svg"));
  const std::size_t panel = svg.rfind("<path class=\"l ");
  ASSERT_NE(panel, std::string::npos);
  const std::string line = svg.substr(panel, svg.find('>', panel) - panel);
  // Means inside and outside of the shade.
  std::smatch shade;
  ASSERT_TRUE(std::regex_search(svg, shade, std::regex("<rect class=\"fault\" ([^>]*)>")));
  const double from = Attribute(" " + shade[1].str(), "x");
  const double to = from + Attribute(" " + shade[1].str(), "width");
  double sum[2] = {0, 0}, points[2] = {0, 0};
  const std::regex point("[ML]([0-9]+) ([0-9.]+)");
  for (std::sregex_iterator it(line.begin(), line.end(), point), none; it != none; ++it) {
    const double x = std::stod((*it)[1]);
    const bool inside = x > from && x < to;
    sum[inside] += std::stod((*it)[2]);
    points[inside] += 1;
  }
  ASSERT_GT(points[0], 10);
  ASSERT_GT(points[1], 10);
  EXPECT_GT(sum[0] / points[0] - sum[1] / points[1], 40) << "px, of a panel of 104";
}

}  // namespace
}  // namespace ringway
