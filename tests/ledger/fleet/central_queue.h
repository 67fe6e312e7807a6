// The yardstick: one perfect queue in front of all workers, with the guards of the ledger and no messages.
//
// The same arrivals and service times as a Fleet of the same settings, the same waiting line, the same rule
// for "cannot finish in time", the same cancellation at the deadline; but a freed worker takes the next job
// in no time, and everybody knows everything. What a Fleet loses against it is the price of being
// distributed.
#ifndef RINGWAY_TESTS_LEDGER_FLEET_CENTRAL_QUEUE_H_
#define RINGWAY_TESTS_LEDGER_FLEET_CENTRAL_QUEUE_H_

#include "tests/ledger/fleet/settings.h"

namespace ringway::ledger::fleet {

// `expected`: the service time that the guard assumes. Faults, resubmission and no_wait are not modelled.
Tally RunCentralQueue(const FleetSettings& settings, Duration expected);

}  // namespace ringway::ledger::fleet

#endif  // RINGWAY_TESTS_LEDGER_FLEET_CENTRAL_QUEUE_H_
