#include "cli/table_name.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "cli/when.h"

namespace ringway::cli {

std::string ReadTableName(const std::string& text, v1::TableName& name) {
  name.Clear();
  const std::vector<std::string> parts = absl::StrSplit(text, '.');
  std::uint64_t epoch = 0, version = 0;
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &epoch) && absl::SimpleAtoi(parts[1], &version) &&
      epoch > 0) {
    name.set_epoch(epoch);
    name.set_version(version);
    return "";
  }
  const absl::StatusOr<Time> at = ReadWhen(text, absl::Now());
  if (!at.ok()) {
    return "found \"" + text +
           "\"; allowed: EPOCH.VERSION as `ringway history` prints it, for example 3.41, or the moment when "
           "the table "
           "was in force: 2026-11-23 12:00 (UTC), or how long ago: 26h";
  }
  name.set_at_unix_us(ToUnixMicros(*at));
  return "";
}

flags::Check TableNameInto(std::function<v1::TableName&()> name) {
  return [name = std::move(name)](std::string& text) { return ReadTableName(text, name()); };
}

}  // namespace ringway::cli
