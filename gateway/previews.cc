#include "gateway/previews.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/object_key.h"

namespace ringway::gateway {
namespace {

// No id of a video, so the name of no picture that is kept.
constexpr std::string_view kScratchName = "scratch";

std::shared_ptr<const ResultFile> OpenPicture(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  return fd < 0 ? nullptr : std::make_shared<const ResultFile>(fd);
}

}  // namespace

Previews::Previews(runtime::EventLoop& loop, const VideoJobs& jobs, SharedFilms* shared,
                   const runtime::Logger& log)
    : loop_(loop), jobs_(jobs), shared_(shared), log_(log), program_(PreviewProgram()), thread_("previews") {}

Previews::~Previews() { Close(); }

void Previews::Close() {
  closed_ = true;
  stop_ = true;
  thread_.Stop();
  if (fetch_ != nullptr) fetch_->Abandon();
  fetch_.reset();
  if (film_ >= 0) close(std::exchange(film_, -1));
  line_.clear();
}

std::string Previews::Scratch(std::string_view name) const {
  return jobs_.store().PreviewPath(kScratchName, name);
}

void Previews::Make(const Video& video, std::string_view variant, Done done) {
  if (auto kept = OpenPicture(jobs_.store().PreviewPath(video.id, variant))) return done(std::move(kept));
  const auto same = std::ranges::find_if(
      line_, [&](const Order& order) { return order.id == video.id && order.variant == variant; });
  if (same != line_.end()) return same->done.push_back(std::move(done));
  if (line_.size() >= kLineMax)
    return done(absl::ResourceExhaustedError(absl::StrCat(kLineMax, " others are being made")));
  line_.push_back({.id = video.id,
                   .variant = std::string(variant),
                   .film_bytes = video.result_bytes,
                   .fetched = !video.has_result});
  line_.back().done.push_back(std::move(done));
  if (line_.size() == 1) Begin();
}

void Previews::Begin() {
  const Order& order = line_.front();
  if (order.film_bytes == 0) return Finish(absl::InvalidArgumentError("the film is empty"));
  if (order.fetched) return Fetch();
  Run();
}

void Previews::Fetch() {
  const Order& order = line_.front();
  const std::string path = Scratch("film");
  film_written_ = absl::OkStatus();
  film_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (film_ < 0)
    return Finish(absl::InternalError(absl::StrCat(path, ": cannot be written: ", std::strerror(errno))));
  fetch_ =
      shared_->store().Get(FilmKey(order.id), 0, order.film_bytes, static_cast<objects::ObjectSink&>(*this));
}

void Previews::OnObjectBytes(std::string_view bytes) {
  while (!bytes.empty() && film_written_.ok()) {
    const ssize_t written = write(film_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      film_written_ =
          absl::InternalError(absl::StrCat(Scratch("film"), ": cannot be written: ", std::strerror(errno)));
    else
      bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Previews::OnObjectEnd(const absl::Status& status) {
  fetch_.reset();
  close(std::exchange(film_, -1));
  if (!status.ok()) {
    return Finish(absl::IsNotFound(status)
                      ? status
                      : absl::UnavailableError(
                            absl::StrCat("the store that has this film does not serve: ", status.message())));
  }
  if (!film_written_.ok()) return Finish(film_written_);
  Run();
}

void Previews::Run() {
  const Order& order = line_.front();
  const PreviewRun run = {.program = program_,
                          .variant = order.variant,
                          .film = order.fetched ? Scratch("film") : jobs_.store().ResultPath(order.id),
                          .picture = Scratch("picture"),
                          .said = Scratch("said")};
  const bool posted = thread_.Post([this, run] {
    const absl::Status status = RunPreview(run, stop_);
    (void)loop_.Post([this, status] {
      if (!closed_) Finish(status);
    });
  });
  if (!posted) Finish(absl::UnavailableError("this router is stopping"));
}

// The picture that was made. It is kept while its film is.
absl::StatusOr<std::shared_ptr<const ResultFile>> Previews::Take(const Order& order) const {
  const std::string made = Scratch("picture");
  auto picture = OpenPicture(made);
  if (picture == nullptr)
    return absl::InternalError(absl::StrCat(made, ": cannot be read: ", std::strerror(errno)));
  const Video* const video = jobs_.table().Find(order.id);
  if (video != nullptr && video->has_result)
    (void)std::rename(made.c_str(), jobs_.store().PreviewPath(order.id, order.variant).c_str());
  return picture;
}

// A film that went meanwhile is not at fault.
absl::Status Previews::Cause(const Order& order, const absl::Status& status) const {
  const Video* const video = jobs_.table().Find(order.id);
  const bool gone = !order.fetched && (video == nullptr || !video->has_result);
  return gone ? absl::NotFoundError("the film went while its picture was made") : status;
}

void Previews::Finish(const absl::Status& status) {
  const Order order = std::move(line_.front());
  line_.pop_front();
  const auto picture =
      status.ok() ? Take(order) : absl::StatusOr<std::shared_ptr<const ResultFile>>(Cause(order, status));
  unlink(Scratch("film").c_str());
  unlink(Scratch("picture").c_str());
  if (!picture.ok())
    log_.Warning(
        absl::StrCat("videos: no ", order.variant, " of ", order.id, ": ", picture.status().message()));
  if (!line_.empty()) Begin();
  for (const Done& done : order.done) done(picture);
}

}  // namespace ringway::gateway
