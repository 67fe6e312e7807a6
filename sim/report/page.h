// One self-contained page about a run, or about two side by side: no network, one file to mail around.
//
// The page carries the reports as JSON and a small script that draws them as SVG: load of each region over
// time, goodput and demand, latency and wait, offers a job, table churn, the flows between regions on a map,
// and how near the run came to the references. Light and dark follow the reader's system; it reads on a
// phone. Text from files (names of scenarios and regions) is data to the script and never markup.
//
// Pure: text in, text out. A page is some 30 KB and the series.
#ifndef RINGWAY_SIM_REPORT_PAGE_H_
#define RINGWAY_SIM_REPORT_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

namespace ringway::sim {

// `report_jsons`: one, or two to compare (ReportJson). `extra_json`: more for the script, or empty; for a
// comparison {"comparison": [...]}.
std::string Page(const std::vector<std::string>& report_jsons, std::string_view extra_json);

// The parts; each in a file of its own.
std::string_view PageStyle();
std::string_view PageCharts();
std::string_view PageMap();
std::string_view PageScript();

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_PAGE_H_
