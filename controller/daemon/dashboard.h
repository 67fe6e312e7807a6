// The dashboard's side of the control loop: keeps the logs, makes the documents.
//
// Every Step goes into the event log, every epoch into the timeline; that is all the work while nobody
// looks. A document is made when it is asked for, from the state of that moment. While somebody watches, an
// epoch's end also makes a frame for the live feed, but never more than kBytesPerSecondMax of them: a very
// large world is shown less often rather than at the cost of planning. The timeline goes on where a former
// life of the controller has left it, with the time in between as a gap.
//
// Threads: the control loop's; `watched` and `publish` of FeedEnd are called there and must be safe so.
#ifndef RINGWAY_CONTROLLER_DAEMON_DASHBOARD_H_
#define RINGWAY_CONTROLLER_DAEMON_DASHBOARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/daemon/control_loop.h"
#include "controller/daemon/history_calls.h"
#include "controller/daemon/request_traces.h"
#include "controller/daemon/timeline_store.h"
#include "controller/screen/documents.h"
#include "controller/screen/dry_run_document.h"
#include "controller/screen/event_log.h"
#include "controller/screen/outcomes.h"
#include "controller/screen/timeline.h"
#include "core/time.h"

namespace ringway::controller {

// Where frames go.
struct FeedEnd {
  std::function<bool()> watched;
  std::function<void(std::shared_ptr<const std::string> frame)> publish;
};

class Dashboard {
 public:
  static constexpr double kBytesPerSecondMax = 512 << 10;
  static constexpr Duration kFrameEvery = Milliseconds(200);  // at most

  // `fleet_token`: what routers want to hear before they tell of a request.
  Dashboard(ControlLoop& control, HistoryCalls& past, TimelineStore& hour, FeedEnd feed,
            std::string fleet_token);

  // After each Step of the machine.
  void OnStep(Time now, const ControllerEvent& event, const std::vector<ControllerAction>& actions);

  std::string World() const;
  std::string Fleet() const;
  std::string Table() const;
  std::string Events(std::uint64_t after) const;
  absl::StatusOr<std::string> Timeline(std::string_view tier) const;
  absl::StatusOr<std::string> Region(std::string_view tier, std::string_view region) const;
  absl::StatusOr<std::string> Workers(std::string_view tier, std::string_view region,
                                      const ListPage& page) const;
  absl::StatusOr<std::string> Routers(std::string_view region, const ListPage& page) const;
  absl::StatusOr<std::string> Orders(std::string_view tier) const;
  absl::StatusOr<std::string> DryRun(std::string_view tier, const DryRunEdit& edit) const;
  // Answers on a thread of gRPC's.
  void FindRequest(const std::string& id, RequestTraces::Answer answer);
  // Once the control loop has stopped: nobody is answered after it.
  void CloseSearches() { traces_.Close(); }
  // Saves the steps that are over; on the control loop, before it stops.
  void SaveHour();
  ControlLoop& control() { return control_; }
  // Of the tables that were in force.
  HistoryCalls& past() { return past_; }

 private:
  ScreenView View() const;
  std::string FleetOf(Time now, const FleetPicture& picture) const;
  void EndEpoch(Time now);
  void RestoreHour();

  ControlLoop& control_;
  HistoryCalls& past_;
  TimelineStore& hour_;
  const FeedEnd feed_;
  EventLog events_;
  controller::Timeline timeline_;
  Outcomes outcomes_;
  Time next_frame_at_ = InfinitePast();
  RequestTraces traces_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_DASHBOARD_H_
