#include "router/journal/recorder.h"

#include "journal/bytes.h"
#include "router/journal/checkpoint.h"
#include "router/journal/fields.h"

namespace ringway::router {

Recorder::Recorder(const std::string& directory, std::uint64_t bytes_max, const RouterSettings& settings,
                   const RouterMachine& machine, const runtime::Logger& log, journal::DiskPace pace)
    : ring_(
          kJournalTitle, directory, bytes_max,
          [settings, &machine](journal::Writer& writer, std::uint64_t events) {
            writer.Put(settings);
            writer.Put(machine.fleet());
            writer.Put(events);
            writer.Put(Save(machine));
          },
          log, pace) {}

void Recorder::Note(Time now, const RouterEvent& event, const std::vector<RouterAction>& actions) {
  ring_.Note(now, event, actions);
}

}  // namespace ringway::router
