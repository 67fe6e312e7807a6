#include "router/daemon/jobs/upload.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/clock.h"

namespace ringway::router {

Upload::Upload(runtime::EventLoop& loop, LateUploads& late, const UploadBounds& bounds, std::string client,
               Time deadline, GiveUp give_up)
    : late_(late),
      bounds_(bounds),
      client_(std::move(client)),
      began_(runtime::MonotonicNow()),
      deadline_(deadline),
      give_up_(std::move(give_up)),
      heard_(began_),
      alarm_(loop, [this] { Look(); }) {
  alarm_.Arm(std::min(deadline_, began_ + bounds_.grace));
}

Upload::~Upload() {
  if (!is_late_) return;
  const auto count = late_.find(client_);
  if (--count->second == 0) late_.erase(count);
}

void Upload::Heard() { heard_ = runtime::MonotonicNow(); }

void Upload::Look() {
  const Time now = runtime::MonotonicNow();
  if (now >= deadline_) return End(Outcome::kTimeout, "the payload did not arrive before the deadline");
  if (now >= began_ + bounds_.whole_max) {
    return End(Outcome::kTimeout,
               absl::StrCat("the payload did not arrive within ", absl::FormatDuration(bounds_.whole_max),
                            ", which is what an upload may take (--upload-secs)"));
  }
  if (now >= heard_ + bounds_.idle_max) {
    return End(Outcome::kTimeout,
               absl::StrCat("nothing of the payload came for ", absl::FormatDuration(bounds_.idle_max),
                            " (--upload-idle-secs)"));
  }
  if (!is_late_ && !client_.empty() && now >= began_ + bounds_.grace) {
    const auto count = late_.find(client_);
    if (count != late_.end() && count->second >= bounds_.late_max) {
      return End(Outcome::kShed,
                 absl::StrCat("this client has ", bounds_.late_max,
                              " uploads that are not finished, its maximum (--uploads-late-max)"));
    }
    ++late_[client_];
    is_late_ = true;
  }
  Time next = std::min({deadline_, began_ + bounds_.whole_max, heard_ + bounds_.idle_max});
  if (now < began_ + bounds_.grace) next = std::min(next, began_ + bounds_.grace);
  alarm_.Arm(next);
}

void Upload::End(Outcome outcome, const std::string& why) {
  // It may destroy this object, and itself.
  const GiveUp give_up = std::move(give_up_);
  give_up(outcome, why);
}

std::string ClientOf(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

}  // namespace ringway::router
