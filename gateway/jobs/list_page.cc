#include "gateway/jobs/list_page.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/json.h"
#include "gateway/jobs/video_id.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kMore = "more";
constexpr std::string_view kEnd = "end";
// How VideoJson begins.
constexpr std::string_view kBeforeId = "{\"id\":\"";

std::optional<ListedVideo> ReadLine(std::string_view line) {
  if (!line.starts_with(kBeforeId) || !line.ends_with('}')) return std::nullopt;
  const std::string_view rest = line.substr(kBeforeId.size());
  const std::string_view id = rest.substr(0, rest.find('"'));
  if (!ParseVideoId(id)) return std::nullopt;
  return ListedVideo{std::string(id), std::string(line)};
}

}  // namespace

std::string PageLines(const ListPage& page) {
  std::string lines;
  for (const ListedVideo& video : page.videos) absl::StrAppend(&lines, video.json, "\n");
  lines += page.more ? kMore : kEnd;
  return lines += '\n';
}

std::optional<ListPage> ReadPageLines(std::string_view text) {
  ListPage page;
  while (page.videos.size() <= ListQuery::kLimitMax) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == kMore || line == kEnd) {
      page.more = line == kMore;
      return text.empty() ? std::optional(std::move(page)) : std::nullopt;
    }
    auto video = ReadLine(line);
    if (!video) return std::nullopt;
    page.videos.push_back(*std::move(video));
  }
  return std::nullopt;
}

ListPage MergePages(std::vector<ListPage> pages, const ListQuery& query) {
  ListPage merged;
  for (ListPage& page : pages) {
    merged.more = merged.more || page.more;
    std::move(page.videos.begin(), page.videos.end(), std::back_inserter(merged.videos));
  }
  std::sort(merged.videos.begin(), merged.videos.end(), [&query](const auto& one, const auto& other) {
    return query.oldest_first ? one.id < other.id : other.id < one.id;
  });
  if (merged.videos.size() > query.limit) {
    merged.videos.resize(query.limit);
    merged.more = true;
  }
  return merged;
}

std::string PageJson(const ListPage& page, const ListGaps& gaps) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("object").Text("list").Key("data").BeginArray();
  for (const ListedVideo& video : page.videos) json.Raw(video.json);
  json.End().Key("has_more").Flag(page.more);
  const auto id_or_null = [&](const char* key, bool first) {
    json.Key(key);
    if (page.videos.empty()) return (void)json.Raw("null");
    json.Text(first ? page.videos.front().id : page.videos.back().id);
  };
  id_or_null("first_id", true);
  id_or_null("last_id", false);
  json.Key("ringway").BeginObject().Key("silent").BeginArray();
  for (const std::string& router : gaps.silent) json.Text(router);
  json.End().Key("not_asked").Integer(static_cast<std::int64_t>(gaps.not_asked));
  json.Key("store_missing").Flag(gaps.store_silent).End().End();
  return json.text();
}

}  // namespace ringway::gateway
