// What has been, as JSON for the dashboard: tables that were in force, what two of them differ in, and who
// ordered what.
//
// The same answers as the Admin service's, with times in milliseconds of the Unix epoch like every document
// of the dashboard. Of a difference the largest kMovesShown moves are listed and the rest is counted.
//
// Pure; linear in what is listed.
#ifndef RINGWAY_CONTROLLER_DAEMON_PAST_DOCUMENTS_H_
#define RINGWAY_CONTROLLER_DAEMON_PAST_DOCUMENTS_H_

#include <cstddef>
#include <string>

#include "controller/daemon/audit_log.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {

inline constexpr std::size_t kMovesShown = 500;

// Newest first.
std::string HistoryDocument(const v1::HistoryReply& reply);
std::string DiffDocument(const v1::DiffReply& reply);
// The newest `limit` entries, newest first, and how many there are in memory.
std::string AuditDocument(const AuditLog& audit, std::size_t limit);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_PAST_DOCUMENTS_H_
