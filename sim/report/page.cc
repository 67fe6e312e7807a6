#include "sim/report/page.h"

namespace ringway::sim {
namespace {

// Inside a script element "</" would end it, whatever it stands in; JSON may say it as "<\/".
std::string Embedded(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '/' && !text.empty() && text.back() == '<') text.push_back('\\');
    text.push_back(c);
  }
  return text;
}

}  // namespace

std::string Page(const std::vector<std::string>& report_jsons, std::string_view extra_json) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Ringway simulation</title>\n<style>\n";
  page += PageStyle();
  page += "</style>\n</head>\n<body>\n<main id=\"page\"></main>\n<script>\n\"use strict\";\nconst RUNS = [";
  for (std::size_t i = 0; i < report_jsons.size(); ++i) {
    if (i > 0) page += ",";
    page += Embedded(report_jsons[i]);
  }
  page += "];\nconst EXTRA = ";
  page += extra_json.empty() ? std::string("{}") : Embedded(extra_json);
  page += ";\n";
  page += PageCharts();
  page += PageMap();
  page += PageScript();
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace ringway::sim
