// A shell for a controller's node that keeps what it was to do, and fails the test at once where the node
// does what no history may lead to: it tells somebody who is not to be told, ends a stream twice, sends what
// is of an epoch that is not on disk yet, records an order twice, or lets the machine hear of a stream out of
// turn.
//
// It keeps its own account of the streams, from the events that the test gives (Step).
#ifndef RINGWAY_TESTS_CONTROLLER_CONTROLLER_SHELL_H_
#define RINGWAY_TESTS_CONTROLLER_CONTROLLER_SHELL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "controller/controller_node.h"

namespace ringway::controller {

class TracedController final : public ControllerShell {
 public:
  struct Stream {
    Time heard_at;
    bool introduced = false;  // the machine was told
    bool ended = false;       // the node wanted it
  };

  TracedController(std::shared_ptr<const Fleet> fleet, Time start, ControllerSettings settings = {},
                   DurableState durable = {}, std::deque<std::string> recorded = {})
      : now(start),
        node(ControllerMachine(std::move(settings), std::move(fleet), durable, start), std::move(recorded)),
        saved_epoch_(node.machine().epoch()) {}

  void Step(const ControllerEvent& event) {
    actions.clear();
    stream_of_ = StreamOf(event);
    if (const auto open = streams.find(stream_of_); open != streams.end()) open->second.heard_at = now;
    node.Step(now, event, *this);
    EXPECT_TRUE(owed_.empty()) << "a table that was not sent to stream " << owed_.begin()->first;
  }
  void Step(const StreamEvent& event) {
    actions.clear();
    if (const auto* opened = std::get_if<StreamOpened>(&event)) streams[opened->stream] = {.heard_at = now};
    const auto* closed = std::get_if<StreamClosed>(&event);
    stream_of_ = closed != nullptr ? closed->stream : 0;
    for (const StreamId heard : {IdOf<MessageRefused>(event), IdOf<OrdersTold>(event)}) {
      if (const auto open = streams.find(heard); open != streams.end()) open->second.heard_at = now;
    }
    node.Step(now, event, *this);
    if (closed != nullptr) {
      EXPECT_TRUE(!streams[closed->stream].introduced) << "the machine was not told of its end";
      streams.erase(closed->stream);
    }
  }

  template <class Action>
  std::vector<Action> Taken() const {
    std::vector<Action> found;
    for (const NodeAction& action : actions) {
      if (const auto* one = std::get_if<Action>(&action)) found.push_back(*one);
    }
    return found;
  }
  // To whom tables went in the last step.
  std::set<StreamId> TablesTo() const {
    std::set<StreamId> to;
    for (const SendTableTo& sent : Taken<SendTableTo>()) to.insert(sent.stream);
    return to;
  }

  Time now;
  ControllerNode node;
  std::map<StreamId, Stream> streams;
  std::vector<NodeAction> actions;           // of the last step
  std::vector<ControllerEvent> told;         // to the machine
  std::set<std::string> orders;              // recorded
  std::map<StreamEnd, std::size_t> endings;  // counted
  bool failing_disk = false;

 private:
  template <class Event>
  static StreamId IdOf(const StreamEvent& event) {
    const auto* found = std::get_if<Event>(&event);
    return found != nullptr ? found->stream : 0;
  }
  static StreamId StreamOf(const ControllerEvent& event) {
    return std::visit(
        [](const auto& e) -> StreamId {
          if constexpr (requires { e.stream; }) return e.stream;
          return 0;
        },
        event);
  }
  bool Told(StreamId stream) const {
    const auto found = streams.find(stream);
    return found != streams.end() && found->second.introduced && !found->second.ended;
  }

  void MachineSteps(Time at, const ControllerEvent& event, const ControllerMachine& machine) override {
    EXPECT_EQ(at, now);
    EXPECT_EQ(&machine, &node.machine());
    told.push_back(event);
    const StreamId stream = StreamOf(event);
    if (stream == 0) return;
    EXPECT_EQ(stream, stream_of_);
    ASSERT_TRUE(streams.contains(stream)) << "of a stream that is not open";
    Stream& of = streams[stream];
    if (std::holds_alternative<RouterConnected>(event)) {
      EXPECT_FALSE(std::exchange(of.introduced, true)) << "introduced twice";
    } else if (std::holds_alternative<RouterDisconnected>(event)) {
      EXPECT_TRUE(std::exchange(of.introduced, false)) << "gone, and never came";
      return;
    }
    EXPECT_TRUE(of.introduced);
    EXPECT_FALSE(of.ended) << "nobody listens there any more";
  }
  void MachineStepped(Time, const ControllerEvent&, const std::vector<ControllerAction>& made) override {
    for (const ControllerAction& action : made) {
      const auto* sent = std::get_if<SendTable>(&action);
      if (sent == nullptr) continue;
      for (const auto& [stream, of] : streams) {
        if (Told(stream) && sent->For(stream)) owed_.emplace(stream, sent->table);
      }
    }
  }

  void Perform(const NodeAction& action) override {
    std::visit([this](const auto& a) { On(a); }, action);
    actions.push_back(action);
  }
  void On(const SendWelcome& sent) {
    EXPECT_TRUE(Told(sent.stream));
    EXPECT_LE(sent.epoch, saved_epoch_) << "an epoch that a crash forgets";
  }
  void On(const SendMapTo& sent) { EXPECT_TRUE(Told(sent.stream)); }
  void On(const SendDirectory& sent) {
    EXPECT_TRUE(Told(sent.stream));
    EXPECT_LE(sent.directory->version.epoch, saved_epoch_);
  }
  void On(const SendRecorded& sent) { EXPECT_TRUE(Told(sent.stream)); }
  void On(const SendTableTo& sent) {
    EXPECT_TRUE(Told(sent.stream)) << "stream " << sent.stream;
    EXPECT_LE(sent.table->version.epoch, saved_epoch_);
    const auto owed = owed_.find({sent.stream, sent.table});
    ASSERT_NE(owed, owed_.end()) << "stream " << sent.stream << " is not meant";
    owed_.erase(owed);
  }
  void On(const EndStream& ended) {
    ASSERT_TRUE(streams.contains(ended.stream));
    EXPECT_FALSE(std::exchange(streams[ended.stream].ended, true)) << "ended twice";
    std::erase_if(owed_, [&](const auto& owed) { return owed.first == ended.stream; });
    ++endings[ended.end];
  }
  void On(const Persist&) {
    if (!failing_disk) saved_epoch_ = node.machine().epoch();
  }
  void On(const AuditEntry& entry) {
    if (entry.order.empty()) return;
    EXPECT_TRUE(orders.insert(entry.order).second) << entry.order << " is recorded twice";
  }
  template <class Action>
  void On(const Action&) {}

  StreamId stream_of_ = 0;  // whom the step is about
  std::uint64_t saved_epoch_ = 0;
  // As often as the machine wanted it.
  std::multiset<std::pair<StreamId, std::shared_ptr<const RoutingTable>>> owed_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_TESTS_CONTROLLER_CONTROLLER_SHELL_H_
