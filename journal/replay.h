// Plays what a program's machine was told once more: its events to a machine that was restored from the
// recorded checkpoint, its actions held against the digests that were recorded.
//
// The machine is the production one, and gets the recorded times; if every digest agrees, every action came
// out bit for bit as it did then. At each later segment the machine must have come to the state that the
// segment's checkpoint has. Where something differs the rest of that segment is passed over: what was
// recorded after it happened to another machine. `observe` sees each event with what followed.
//
// Which machine: a Subject says how one is made, stepped, saved and loaded. Errors: DataLoss (not such a
// journal), FailedPrecondition (another version). Memory: one machine and one batch of events.
#ifndef RINGWAY_JOURNAL_REPLAY_H_
#define RINGWAY_JOURNAL_REPLAY_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/time.h"
#include "journal/bytes.h"
#include "journal/ring.h"
#include "journal/shape.h"

namespace ringway::journal {

struct ReplayReport {
  std::uint64_t lives = 0;  // of the program, from a start to its end, as far as the journal has them
  std::uint64_t events = 0;
  std::uint64_t actions = 0;    // recorded
  std::uint64_t different = 0;  // segments in which the actions of an event, or the state, came out otherwise
  std::uint64_t torn = 0;       // segments that end inside a record
  std::uint64_t gaps = 0;       // within a life: what the disk could not take
  std::string first_difference;
};

// What the folder's newest segment begins with: the title of a journal, or anything else; empty: no segment.
std::string TitleOf(const std::string& directory);

// What the walk over a folder's segments, oldest first, calls.
class SegmentVisitor {
 public:
  virtual ~SegmentVisitor() = default;
  virtual absl::Status First(std::string_view payload) = 0;
  virtual absl::Status Next(std::string_view payload) = 0;
  // `whole`: what follows in the next segment may be what came next.
  virtual void End(bool whole) = 0;
};
absl::Status WalkSegments(const std::string& directory, SegmentVisitor& visitor);

// What every segment begins with, up to what the program says itself. Errors: as of a replay.
absl::StatusOr<Shapes> TakeTitle(const Title& title, Reader& reader);

// From one segment to the next. Subject has:
//   Machine, Event, Action, kTitle
//   bool Take(Reader&)                      what a machine is made from; false: no machine can be
//   Time started()                          of the life; with the number of events it tells lives apart
//   void Make(std::optional<Machine>&)      from what was taken last
//   static void Step(Machine&, now, event, std::vector<Action>&), Save and Load as in state.h
//   kKeepsWords                             whether the machine keeps what its events' names point at
template <class Subject>
class Player final : public SegmentVisitor {
 public:
  using Observer = std::function<void(Time, const typename Subject::Event&,
                                      const std::vector<typename Subject::Action>& actions)>;
  explicit Player(const Observer& observe) : observe_(observe) {}
  ReplayReport& report() { return report_; }

  absl::Status First(std::string_view payload) override {
    Reader reader(payload, words_);
    auto shapes = TakeTitle(Subject::kTitle, reader);
    if (!shapes.ok()) return shapes.status();
    shapes_ = *std::move(shapes);
    return Begin(Reader(reader.left(), words_, &shapes_));
  }
  absl::Status Next(std::string_view payload) override {
    Reader reader(payload, words_, &shapes_);
    while (!reader.empty() && !differs_) {
      Time now;
      typename Subject::Event event;
      std::uint64_t count = 0, digest = 0;
      reader.Take(now);
      reader.Take(event);
      reader.Take(count);
      reader.Take(digest);
      if (!reader.ok()) return absl::DataLossError("an event with a good checksum cannot be read");
      Step(now, event, count, digest);
      if constexpr (!Subject::kKeepsWords) words_.clear();
    }
    return absl::OkStatus();
  }
  void End(bool whole) override {
    report_.torn += !whole;
    if (!whole) machine_.reset();
  }

 private:
  absl::Status Begin(Reader reader) {
    const Time last_started = subject_.started();
    std::uint64_t events = 0;
    std::string state;
    const bool made = subject_.Take(reader);
    reader.Take(events);
    reader.Take(state);
    if (!made || !reader.ok() || !reader.empty())
      return absl::DataLossError("the beginning of a segment is damaged");
    // The clock alone does not tell lives apart: it may have been set back between them.
    const bool same_life = machine_.has_value() && events > 0 && subject_.started() == last_started;
    return Resume(same_life, events, state);
  }

  // With the machine of the segment before, if this is what came next: then it must have come to the same
  // state.
  absl::Status Resume(bool same_life, std::uint64_t events, const std::string& state) {
    if (same_life && events == events_ && Subject::Save(*machine_, &shapes_) != state) {
      Differs(
          absl::StrCat("after ", events, " events of the life the checkpoint that was recorded is another"));
    }
    report_.lives += !same_life;
    report_.gaps += same_life && events != events_;
    subject_.Make(machine_);
    events_ = events;
    differs_ = false;
    if (!Subject::Load(state, words_, *machine_, &shapes_))
      return absl::DataLossError("a checkpoint is damaged");
    return absl::OkStatus();
  }

  void Step(Time now, const typename Subject::Event& event, std::uint64_t count, std::uint64_t digest) {
    actions_.clear();
    Subject::Step(*machine_, now, event, actions_);
    bytes_.clear();
    Writer(bytes_, nullptr, &shapes_).Put(actions_);
    ++events_;
    ++report_.events;
    report_.actions += count;
    if (Digest(bytes_) != digest) {
      Differs(absl::StrCat("life ", report_.lives, ", event ", events_, " (kind ", event.index(), ", ",
                           absl::FormatTime(now, absl::UTCTimeZone()), "): ", count, " actions recorded, ",
                           actions_.size(), " now, and they differ"));
    }
    if (observe_) observe_(now, event, actions_);
  }

  // What follows in this segment would differ too; the next one has a checkpoint of its own.
  void Differs(std::string how) {
    differs_ = true;
    ++report_.different;
    if (report_.first_difference.empty()) report_.first_difference = std::move(how);
  }

  const Observer& observe_;
  ReplayReport report_;
  Shapes shapes_;  // of the segment
  std::deque<std::string> words_;
  Subject subject_;
  std::optional<typename Subject::Machine> machine_;
  std::uint64_t events_ = 0;  // of its life
  bool differs_ = false;      // in this segment
  std::vector<typename Subject::Action> actions_;
  std::string bytes_;
};

template <class Subject>
absl::StatusOr<ReplayReport> Replay(const std::string& directory,
                                    const typename Player<Subject>::Observer& observe) {
  Player<Subject> player(observe);
  if (absl::Status walked = WalkSegments(directory, player); !walked.ok()) return walked;
  if (player.report().lives == 0) return absl::NotFoundError(absl::StrCat(directory, ": no journal is here"));
  return std::move(player.report());
}

}  // namespace ringway::journal

#endif  // RINGWAY_JOURNAL_REPLAY_H_
