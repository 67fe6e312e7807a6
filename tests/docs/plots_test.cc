// No label of a shipped plot covers another one, by a careful guess of how wide its letters are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/deploy/shell.h"
#include "tests/sim/plot_labels.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path kPlots = fs::path(RINGWAY_SOURCE_DIR) / "docs/plots";

TEST(PlotsTest, NoLabelCoversAnother) {
  int plots = 0;
  for (const auto& entry : fs::directory_iterator(kPlots)) {
    if (entry.path().extension() != ".svg") continue;
    const std::vector<Label> labels = LabelsOf(ReadText(entry.path()));
    EXPECT_GT(labels.size(), 10u) << entry.path();
    EXPECT_THAT(Covered(labels), IsEmpty()) << entry.path();
    EXPECT_THAT(OutsideOf(ReadText(entry.path())), IsEmpty()) << entry.path();
    ++plots;
  }
  EXPECT_GE(plots, 15) << "the size of a fleet among them";
  EXPECT_TRUE(fs::exists(kPlots / "size.svg"));
}

TEST(PlotsTest, LabelsThatCoverEachOtherAreFound) {
  const std::string one = "<text class=\"t\" x=\"100\" y=\"50\">latency, s</text>";
  EXPECT_THAT(Covered(LabelsOf(one + "<text class=\"t\" x=\"130\" y=\"55\">wait</text>")),
              ::testing::SizeIs(1));
  EXPECT_THAT(Covered(LabelsOf(one + "<text class=\"t\" x=\"100\" y=\"64\">wait</text>")), IsEmpty());
  EXPECT_THAT(OutsideOf("<svg viewBox=\"0 0 150 80\">" + one), ::testing::SizeIs(1));
  EXPECT_THAT(OutsideOf("<svg viewBox=\"0 0 180 80\">" + one), IsEmpty());
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
