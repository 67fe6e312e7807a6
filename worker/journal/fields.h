// How many fields the structs have that a worker's journal holds (journal/fields.h): of its events, its
// actions and what it starts with.
//
// Included wherever one of them is written or read. A struct that gains a field does not compile until it is
// counted here; what is appended at its end is read by the next release. Pure; all at compile time.
#ifndef RINGWAY_WORKER_JOURNAL_FIELDS_H_
#define RINGWAY_WORKER_JOURNAL_FIELDS_H_

#include "journal/fields.h"
#include "worker/slot.h"
#include "worker/worker_node.h"

namespace ringway::journal {

// clang-format off
// What it starts with.
template <> inline constexpr int kFields<SlotSettings> = 6;
template <> inline constexpr int kFields<WorkerSettings> = 6;
template <> inline constexpr int kFields<WorkerTotals> = 2;
// Its events.
template <> inline constexpr int kFields<SlotOffer> = 4;
template <> inline constexpr int kFields<AttemptOffered> = 2;
template <> inline constexpr int kFields<MessageMalformed> = 1;
template <> inline constexpr int kFields<PayloadArrived> = 2;
template <> inline constexpr int kFields<UploadEnded> = 1;
template <> inline constexpr int kFields<AttemptCancelled> = 1;
template <> inline constexpr int kFields<AttemptWithdrawn> = 1;
template <> inline constexpr int kFields<StreamClosed> = 1;
template <> inline constexpr int kFields<WorkProgressed> = 2;
template <> inline constexpr int kFields<ResultMade> = 1;
template <> inline constexpr int kFields<WorkEnded> = 1;
template <> inline constexpr int kFields<ResultWaits> = 2;
template <> inline constexpr int kFields<WatchOpened> = 1;
template <> inline constexpr int kFields<SlotDrain> = 2;
template <> inline constexpr int kFields<SlotFenced> = 3;
// Its actions.
template <> inline constexpr int kFields<AcceptAttempt> = 1;
template <> inline constexpr int kFields<KeepPayload> = 1;
template <> inline constexpr int kFields<EndAttempt> = 10;
template <> inline constexpr int kFields<BreakStream> = 2;
template <> inline constexpr int kFields<StartWork> = 1;
template <> inline constexpr int kFields<RelayProgress> = 2;
template <> inline constexpr int kFields<RelayResult> = 1;
template <> inline constexpr int kFields<TellWatchers> = 2;
template <> inline constexpr int kFields<TellWatcher> = 2;
template <> inline constexpr int kFields<TellCaller> = 1;
template <> inline constexpr int kFields<ServingChanged> = 1;
// clang-format on

}  // namespace ringway::journal

#endif  // RINGWAY_WORKER_JOURNAL_FIELDS_H_
