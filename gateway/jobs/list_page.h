// A page of a list of jobs, and how the pages of many routers become one.
//
// Ids sort by the second in which they were made, then by a draw, so each router's page is sorted by id and
// so is the merged one. Each router gives the first `limit` jobs behind the same id: then the first `limit`
// of all of them are among what was given, and a page that continues behind the last id of this one misses
// nothing and repeats nothing, whichever router is asked for it.
//
// Between routers a page is lines: one job each, as the API shows it, and a last line that says whether there
// are more; without that line it was cut off.
//
// Pure. Threads: values. Complexity: n log n in what was given.
#ifndef RINGWAY_GATEWAY_JOBS_LIST_PAGE_H_
#define RINGWAY_GATEWAY_JOBS_LIST_PAGE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::gateway {

struct ListedVideo {
  std::string id;
  std::string json;  // VideoJson
  friend bool operator==(const ListedVideo&, const ListedVideo&) = default;
};

struct ListPage {
  std::vector<ListedVideo> videos = {};
  bool more = false;  // behind the last of them
  friend bool operator==(const ListPage&, const ListPage&) = default;
};

// What a client asks for.
struct ListQuery {
  static constexpr std::size_t kLimitMax = 100;
  std::size_t limit = 20;
  bool oldest_first = false;
  std::string after = {};  // the id before the first; empty: from the beginning
  bool fleet = true;       // all routers' jobs, or this one's
};

// Whom a list of the fleet does not speak for.
struct ListGaps {
  std::vector<std::string> silent = {};  // routers that did not answer in time
  std::size_t not_asked = 0;             // beyond the number that one list asks
  bool store_silent = false;             // the store that the routers share
};

std::string PageLines(const ListPage& page);
// Nothing: cut off, or no page.
std::optional<ListPage> ReadPageLines(std::string_view text);

ListPage MergePages(std::vector<ListPage> pages, const ListQuery& query);

// The object of the API.
std::string PageJson(const ListPage& page, const ListGaps& gaps);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_LIST_PAGE_H_
