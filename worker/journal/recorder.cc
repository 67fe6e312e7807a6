#include "worker/journal/recorder.h"

#include "journal/bytes.h"
#include "worker/journal/checkpoint.h"
#include "worker/journal/fields.h"

namespace ringway::worker {

Recorder::Recorder(const std::string& directory, std::uint64_t bytes_max, const WorkerSettings& settings,
                   const WorkerNode& node, const runtime::Logger& log, journal::DiskPace pace)
    : ring_(
          kJournalTitle, directory, bytes_max,
          [settings, &node](journal::Writer& writer, std::uint64_t events) {
            writer.Put(settings);
            writer.Put(events);
            writer.Put(Save(node));
          },
          log, pace) {}

void Recorder::Note(Time now, const WorkerEvent& event, const std::vector<WorkerAction>& actions) {
  ring_.Note(now, event, actions);
}

}  // namespace ringway::worker
