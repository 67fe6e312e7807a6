// What operators ask of the history of tables: list it, compare two, go back to one.
//
// A version that the machine still has in memory is taken from there, all else is searched on disk by the
// store's thread; the control loop never waits for a disk. What is found is put under the topology that is
// loaded when it comes back, and goes into the machine as part of the order, so that the journal holds it and
// a replay needs no history. Rates are those of the moment when the call came.
//
// Threads: the calls on the control loop's; answers come there or on the store's. Each answer is given
// exactly once.
#ifndef RINGWAY_CONTROLLER_DAEMON_HISTORY_CALLS_H_
#define RINGWAY_CONTROLLER_DAEMON_HISTORY_CALLS_H_

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "controller/daemon/control_loop.h"
#include "controller/daemon/history_store.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {

class HistoryCalls {
 public:
  template <class Reply>
  using Answer = absl::AnyInvocable<void(absl::StatusOr<Reply>)>;

  HistoryCalls(ControlLoop& control, HistoryStore& store) : control_(control), store_(store) {}

  void List(const v1::HistoryRequest& request, Answer<v1::HistoryReply> answer);
  void Diff(const v1::DiffRequest& request, Answer<v1::DiffReply> answer);
  // `command` is a rollback; `at`: in place of its version.
  void Rollback(OperatorCommand command, std::optional<Time> at, Answer<v1::ActionReply> answer);
  // What a rollback would do; `request` asks about one.
  void DryRun(const v1::DryRunRequest& request, Answer<v1::DryRunReply> answer);

 private:
  using Found = HistoryStore::Found;
  // Calls `found` with the table of that name, or nothing; at once where the machine has it. False: nobody
  // was called, the store does not take it.
  bool Find(const v1::TableName& name, Found found);
  void Order(OperatorCommand command, Answer<v1::ActionReply> answer);
  // The rollback with the table that it names, given on the loop: at once where the machine has it. One that
  // is nowhere is left out, and the machine refuses the order.
  void WithTable(OperatorCommand command, std::optional<Time> at, Answer<OperatorCommand> answer);

  ControlLoop& control_;
  HistoryStore& store_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_HISTORY_CALLS_H_
