// A view: which routers keep the records of keys, as the controller numbered it.
//
// Only a controller makes views: (its epoch, the version of the directory that first named these routers).
// Whoever speaks of a key names the view in which he ranked its replicas, and replicas answer in one view
// only. The digest of the names is a part of the number, so that two lists of routers are never taken for the
// same view, even if a controller that lost its disk gives a number twice. Numbers only have to be ordered;
// that the higher one is the later one matters to nobody's safety.
//
// Immutable. Bounds: kViewRoutersMax names, kViewsBeforeMax views before. Threads: values.
#ifndef RINGWAY_ROUTER_ONCE_VIEW_H_
#define RINGWAY_ROUTER_ONCE_VIEW_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/table.h"
#include "core/time.h"

namespace ringway::router::once {

// As many as a controller takes.
inline constexpr std::size_t kViewRoutersMax = 10000;
inline constexpr std::size_t kViewsBeforeMax = 16;

struct ViewId {
  std::uint64_t epoch = 0;
  std::uint64_t version = 0;  // 0: no view
  std::uint64_t digest = 0;
  bool stated() const { return version != 0; }
  friend auto operator<=>(const ViewId&, const ViewId&) = default;
};

struct View;
using ViewPtr = std::shared_ptr<const View>;

// What a router tells of a view that it is in, has been in, or has heard of.
struct KnownView {
  ViewPtr view;
  Time left = InfiniteFuture();  // for a later one; never: it is in it
  // The router was in it and has read all that went before it.
  bool whole = false;
};

struct View {
  ViewId id;
  std::vector<std::string> names;    // in order, each once
  std::vector<std::uint64_t> marks;  // of the names: StableHash
  // That the controller made before, the newest first, and when it made the next; these have none themselves.
  // So whoever is in a view knows which went before it, even if he meets nobody who was in them.
  std::vector<KnownView> before = {};
};

ViewPtr MakeView(TableVersion number, std::vector<std::string> names, std::vector<KnownView> before = {});

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_VIEW_H_
