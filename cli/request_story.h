// The whole story of one request, for a person: where it entered, why it went where it went, what each router
// and worker said, and what all of it took.
//
// A forwarded request has a story at two routers; they are told in order, the one of entry first. Times are
// seconds since the arrival at the router that tells. Threads: pure functions over messages.
#ifndef RINGWAY_CLI_REQUEST_STORY_H_
#define RINGWAY_CLI_REQUEST_STORY_H_

#include <string>
#include <vector>

#include "ringway/v1/story.pb.h"

namespace ringway::cli {

// All stories of the replies: of entry before forwarded, then by arrival.
std::vector<v1::RequestStory> InOrder(const std::vector<v1::TellReply>& replies);

std::string StoryText(const std::vector<v1::RequestStory>& stories, bool colour);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_REQUEST_STORY_H_
