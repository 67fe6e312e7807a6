#include "sim/study/comparison.h"

#include "core/json.h"

namespace ringway::sim {
namespace {

std::vector<double> Column(const std::vector<Figures>& runs, Figure figure) {
  std::vector<double> values;
  for (const Figures& run : runs) values.push_back(run[figure]);
  return values;
}

std::string_view VerdictOf(const Estimate& difference, int better) {
  const bool seen = difference.low() > 0 || difference.high() < 0;
  if (!seen) return "no difference seen";
  if (better == 0) return "different";
  return (difference.mean > 0) == (better > 0) ? "better" : "worse";
}

void WriteEstimate(const char* key, const Estimate& estimate, JsonWriter& json) {
  json.Key(key).BeginObject();
  json.Key("mean").Number(estimate.mean).Key("half_width").Number(estimate.half_width);
  json.End();
}

}  // namespace

std::vector<FigureComparison> Compare(const std::vector<Figures>& a, const std::vector<Figures>& b) {
  std::vector<FigureComparison> rows;
  const bool priced = !a.empty() && !b.empty() && a.front().priced() && b.front().priced();
  for (std::size_t i = 0; i < FiguresTold(priced); ++i) {
    const auto figure = static_cast<Figure>(i);
    const std::vector<double> left = Column(a, figure);
    const std::vector<double> right = Column(b, figure);
    FigureComparison row{.figure = figure,
                         .a = EstimateMean(left),
                         .b = EstimateMean(right),
                         .difference = EstimateDifference(right, left),
                         .verdict = ""};
    row.verdict = VerdictOf(row.difference, TextOf(figure).better);
    rows.push_back(row);
  }
  return rows;
}

std::string ComparisonJson(const std::vector<FigureComparison>& rows) {
  JsonWriter json;
  json.BeginObject().Key("comparison").BeginArray();
  for (const FigureComparison& row : rows) {
    json.BeginObject();
    json.Key("figure").Text(TextOf(row.figure).name);
    json.Key("title").Text(TextOf(row.figure).title);
    json.Key("percent").Flag(TextOf(row.figure).percent);
    WriteEstimate("a", row.a, json);
    WriteEstimate("b", row.b, json);
    WriteEstimate("difference", row.difference, json);
    json.Key("verdict").Text(row.verdict);
    json.End();
  }
  json.End().End();
  return json.text();
}

}  // namespace ringway::sim
