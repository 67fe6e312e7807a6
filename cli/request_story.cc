#include "cli/request_story.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cli/text_table.h"

namespace ringway::cli {
namespace {

Style StyleOf(const v1::End& end) { return end.outcome() == "done" ? Style::kGood : Style::kBad; }

std::string RingText(std::uint32_t ring) { return ring == 0 ? "home" : absl::StrCat("ring ", ring); }

std::string StepLine(const v1::StoryStep& step) {
  std::string line = absl::StrFormat("  %8.3f s  %s", step.at_s(), step.what());
  if (step.what() == "answered") {
    absl::StrAppend(&line, " by ", step.whom(), ": ", step.detail());
  } else if (step.what() == "accepted") {
    absl::StrAppend(&line, " by ", step.whom(), " in ", step.detail());
  } else if (!step.whom().empty()) {
    absl::StrAppend(&line, " to ", step.whom(), " (", step.detail(), ")");
  }
  return line + "\n";
}

std::string Heading(const v1::RequestStory& story, bool colour) {
  std::string text =
      Paint(absl::StrCat("at router ", story.router(), " in ", story.router_region()), Style::kBold, colour);
  absl::StrAppend(&text, story.forwarded() ? ", forwarded by another router" : ", where it entered");
  absl::StrAppend(&text, ", ",
                  absl::FormatTime("%Y-%m-%d %H:%M:%E3S UTC", absl::FromUnixMicros(story.arrived_unix_us()),
                                   absl::UTCTimeZone()),
                  "\n");
  absl::StrAppendFormat(&text, "  tier %s, priority %s%s, %.3f s old, %.3f s left to its deadline\n",
                        story.tier(), story.priority(),
                        story.model().empty() ? "" : ", model " + story.model(), story.age_s(),
                        story.deadline_s());
  return text;
}

std::string Ending(const v1::RequestStory& story, bool colour) {
  const v1::End& end = story.end();
  const v1::Story& told = end.story();
  std::string text = absl::StrFormat("  %8.3f s  ended: ", story.took_s());
  absl::StrAppend(&text, Paint(end.outcome(), StyleOf(end), colour),
                  end.message().empty() ? "" : ": " + end.message(), "\n");
  absl::StrAppend(&text, "  route    ", told.source_region(), " -> ", told.region(), " (", told.reason(),
                  ", ", RingText(told.ring()), ") by table ", told.table_epoch(), ".", told.table_version(),
                  "\n");
  absl::StrAppend(&text, "  offers   ", told.attempts(), " to workers, ", told.busy(), " met a busy one",
                  told.worker().empty() ? "" : "; served by " + told.worker(), "\n");
  absl::StrAppendFormat(&text,
                        "  time     waited %.3f s (scheduling delay %.3f s), served %.3f s, network %.3f s\n",
                        told.wait_s(), told.delay_s(), told.service_s(), told.network_s());
  return text;
}

}  // namespace

std::vector<v1::RequestStory> InOrder(const std::vector<v1::TellReply>& replies) {
  std::vector<v1::RequestStory> stories;
  for (const v1::TellReply& reply : replies) {
    stories.insert(stories.end(), reply.stories().begin(), reply.stories().end());
  }
  std::stable_sort(stories.begin(), stories.end(), [](const v1::RequestStory& a, const v1::RequestStory& b) {
    return std::tuple(a.forwarded(), a.arrived_unix_us()) < std::tuple(b.forwarded(), b.arrived_unix_us());
  });
  return stories;
}

std::string StoryText(const std::vector<v1::RequestStory>& stories, bool colour) {
  std::string text;
  for (const v1::RequestStory& story : stories) {
    if (text.empty()) {
      text = absl::StrCat(Paint(absl::StrCat("request ", story.request_id()), Style::kBold, colour), "\n");
    }
    absl::StrAppend(&text, Heading(story, colour));
    for (const v1::StoryStep& step : story.steps()) text += StepLine(step);
    if (story.steps_left_out() > 0) absl::StrAppend(&text, "  and ", story.steps_left_out(), " more steps\n");
    text += Ending(story, colour);
  }
  return text;
}

}  // namespace ringway::cli
