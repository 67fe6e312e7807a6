// For fuzzing: events of a journal, of whatever bytes, read and written again.
//
// Reading never crashes, and what it lets through can be written and read again unchanged.
#ifndef RINGWAY_TESTS_JOURNAL_READ_EVENTS_H_
#define RINGWAY_TESTS_JOURNAL_READ_EVENTS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "core/check.h"
#include "core/time.h"
#include "journal/bytes.h"
#include "journal/shape.h"

namespace ringway::journal {

template <class Event>
std::string Written(Time now, const Event& event, const Shapes* shapes) {
  std::string bytes;
  Writer writer(bytes, nullptr, shapes);
  writer.Put(now);
  writer.Put(event);
  return bytes;
}

template <class Event>
void ReadEvents(std::string_view bytes, const Shapes* shapes = nullptr) {
  std::deque<std::string> words;
  Reader reader(bytes, words, shapes);
  while (reader.ok() && !reader.empty()) {
    Time now;
    Event event;
    std::uint64_t actions = 0, digest = 0;
    reader.Take(now);
    reader.Take(event);
    reader.Take(actions);
    reader.Take(digest);
    if (!reader.ok()) return;
    const std::string once = Written(now, event, shapes);
    Reader again(once, words, shapes);
    again.Take(now);
    again.Take(event);
    RINGWAY_CHECK(again.ok() && again.empty() && Written(now, event, shapes) == once);
  }
}

// After the shapes of another release.
template <class Event>
void ReadEventsInShapes(std::string_view bytes) {
  std::deque<std::string> words;
  Reader reader(bytes, words);
  std::string told;
  reader.Take(told);
  const auto shapes = Shapes::Of(told);
  if (shapes.ok()) return ReadEvents<Event>(reader.left(), &*shapes);
  RINGWAY_CHECK(!shapes.status().message().empty());
}

}  // namespace ringway::journal

#endif  // RINGWAY_TESTS_JOURNAL_READ_EVENTS_H_
