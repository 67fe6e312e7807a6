// What a change of settings would do, as JSON: the answer to POST /api/v1/dryrun.
//
// The plan is that of controller/orders/dry_run.h, which `ringway whatif` asks too, so the page and the
// command line can never disagree. Listed are every region's loads before and after, and the rows that
// change, each whole on both sides; a row changes when a person would read it differently (shares to a tenth
// of a percent).
//
// Pure; one Solve. Errors: as DryRun.
#ifndef RINGWAY_CONTROLLER_SCREEN_DRY_RUN_DOCUMENT_H_
#define RINGWAY_CONTROLLER_SCREEN_DRY_RUN_DOCUMENT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controller/orders/dry_run.h"
#include "controller/screen/documents.h"

namespace ringway::controller {

absl::StatusOr<std::string> DryRunDocument(const ScreenView& view, std::string_view tier,
                                           const DryRunEdit& edit);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_DRY_RUN_DOCUMENT_H_
