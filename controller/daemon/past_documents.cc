#include "controller/daemon/past_documents.h"

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "core/json.h"

namespace ringway::controller {
namespace {

void WriteVersion(const v1::PastTable& table, JsonWriter& json) {
  json.Key("epoch").Integer(static_cast<std::int64_t>(table.epoch()));
  json.Key("version").Integer(static_cast<std::int64_t>(table.version()));
  json.Key("at_ms").Integer(table.at_unix_us() / 1000);
}

// "ROUTE_REASON_NO_WORKERS" -> "no_workers"
std::string ReasonName(v1::RouteReason reason) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::RouteReason_Name(reason), "ROUTE_REASON_"));
}

void WriteMove(const v1::RouteMoved& move, JsonWriter& json) {
  json.BeginObject();
  json.Key("source").Text(move.source());
  json.Key("priority").Text(move.priority());
  json.Key("target").Text(move.target());
  json.Key("before").Number(move.before());
  json.Key("after").Number(move.after());
  json.Key("moved").Number(move.moved_rps());
  json.Key("reason").Text(ReasonName(move.reason()));
  json.End();
}

}  // namespace

std::string HistoryDocument(const v1::HistoryReply& reply) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("tables").BeginArray();
  for (const v1::PastTable& table : reply.tables()) {
    json.BeginObject();
    WriteVersion(table, json);
    json.Key("cause").Text(table.cause());
    json.Key("moved").BeginArray();
    for (const v1::TierMoved& moved : table.moved()) {
      json.BeginObject();
      json.Key("tier").Text(moved.tier());
      json.Key("rows").Integer(moved.rows());
      json.Key("share").Number(moved.share());
      json.Key("most").Text(moved.most());
      json.End();
    }
    json.End().End();
  }
  json.End();
  json.Key("notes").BeginArray();
  for (const std::string& note : reply.notes()) json.Text(note);
  json.End().End();
  return json.text();
}

std::string DiffDocument(const v1::DiffReply& reply) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("before").BeginObject();
  WriteVersion(reply.before(), json);
  json.End();
  json.Key("after").BeginObject();
  WriteVersion(reply.after(), json);
  json.End();
  json.Key("rows").Integer(reply.rows());
  json.Key("demand").Number(reply.demand_rps());
  json.Key("moved").Number(reply.moved_rps());
  json.Key("share").Number(reply.moved_share());
  const int shown = std::min(reply.moved_size(), static_cast<int>(kMovesShown));
  json.Key("moves").BeginArray();
  for (int i = 0; i < shown; ++i) WriteMove(reply.moved(i), json);
  json.End();
  json.Key("left_out").Integer(reply.moved_size() - shown);
  json.End();
  return json.text();
}

std::string AuditDocument(const AuditLog& audit, std::size_t limit) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("total").Integer(static_cast<std::int64_t>(audit.entries().size()));
  json.Key("entries").BeginArray();
  for (auto entry = audit.entries().rbegin(); entry != audit.entries().rend() && limit > 0;
       ++entry, --limit) {
    json.BeginObject();
    json.Key("at_ms").Integer(ToUnixMillis(entry->at));
    json.Key("who").Text(entry->who);
    json.Key("why").Text(entry->why);
    json.Key("action").Text(entry->action);
    json.End();
  }
  json.End().End();
  return json.text();
}

}  // namespace ringway::controller
