// What the comparison must show, judged on rows that were measured in the same run.
//
// Every bound is a ratio to the ideal or to a proxy beside it, but for the share of requests served and for
// how late a refusal may be. A claim whose rows are missing (a proxy that is not installed) is short.
//
// Pure; no thread.
#ifndef RINGWAY_BENCH_PEERS_CLAIMS_H_
#define RINGWAY_BENCH_PEERS_CLAIMS_H_

#include <string>
#include <vector>

#include "bench/claim.h"
#include "bench/peers/row.h"

namespace ringway::bench {

inline constexpr char kOurs[] = "ringway";  // the kind of our own router

// The rows that the claims need. Above capacity the line grows until requests become infeasible: with the
// deadline of the other rows that takes most of a minute, so a short run asks for a shorter one.
std::vector<RowSpec> RowsOfClaims(double overload_deadline_s);
std::vector<Claim> Judge(const std::vector<Row>& rows, double overload_deadline_s);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_CLAIMS_H_
