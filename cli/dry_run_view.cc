#include "cli/dry_run_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"
#include "cli/row_changes.h"

namespace ringway::cli {
namespace {

TextTable LoadChanges(const v1::DryRunReply& then) {
  const Align right = Align::kRight;
  TextTable table({{"REGION"},
                   {"DEMAND/S", right},
                   {"HOME LOAD", right},
                   {"PLANNED NOW", right},
                   {"PLANNED THEN", right}});
  for (int i = 0; i < std::min(then.before_size(), then.after_size()); ++i) {
    const v1::RegionStatus& before = then.before(i);
    const v1::RegionStatus& after = then.after(i);
    table.Add({after.region(), absl::StrFormat("%.1f", after.demand_rps()),
               absl::StrFormat("%.2f", after.home_load()), absl::StrFormat("%.2f", before.planned_load()),
               absl::StrFormat("%.2f", after.planned_load())});
  }
  return table;
}

std::string ShareChanges(const v1::DryRunReply& then, const InForce& now) {
  if (then.table().tiers_size() == 0) return "";
  const v1::TierTable& tier = then.table().tiers(0);
  const Shares was = SharesOf(now.table, TierOf(now.table, tier.tier()), then.before());
  const Shares is = SharesOf(then.table(), tier, then.after());
  return absl::StrCat("away ", Percent(was.away), " -> ", Percent(is.away), ", shed ", Percent(was.shed),
                      " -> ", Percent(is.shed), " of the demand\n");
}

}  // namespace

InForce AskInForce(AdminClient& admin, const std::string& tier) {
  v1::GetTableRequest of_tier;
  of_tier.set_tier(tier);
  auto table = admin.Call(&v1::Admin::Stub::GetTable, of_tier);
  auto status = admin.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  return {.table = table.ok() ? *std::move(table) : v1::RoutingTable(),
          .status = status.ok() ? *std::move(status) : v1::StatusReply()};
}

std::string DryRunText(const v1::DryRunReply& then, const InForce& now, bool all, bool colour) {
  std::string text = absl::StrCat(LoadChanges(then).Render(colour), "\n", ShareChanges(then, now));
  for (const v1::Shortfall& here : then.shortfall()) {
    absl::StrAppendFormat(&text, "no room: %s %.2f/s above its overload threshold, %.2f/s shed\n",
                          here.region(), here.over_rps(), here.refused_rps());
  }
  const RowChanges changes = ChangesBetween(now.table, then, now.status, all);
  text += changes.table.empty() ? "no traffic would go another way\n" : changes.table.Render(colour);
  if (changes.idle_rows > 0)
    absl::StrAppend(&text, changes.idle_rows,
                    " more rows would change for which nobody asks now; --all shows them\n");
  return text;
}

}  // namespace ringway::cli
