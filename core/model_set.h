// The models that the workers of one tier hold, as far as one router has heard them say so.
//
// A worker announces the model that it holds, which is called like its tier where nobody gave it another
// name, or kAnyModel when something behind it decides (a server of many models). One that announces nothing
// is of an older release, and may hold anything. A job that names a model which nobody holds must not be
// answered by another one, so routers ask this set before they take it. A set that nobody has told anything
// refuses nothing: a router with no worker of the tier in its region sends the job to one that has, which
// asks its own set.
//
// Bounds: kNamesMax names; beyond that the set takes any. Pure. Threads: values.
#ifndef RINGWAY_CORE_MODEL_SET_H_
#define RINGWAY_CORE_MODEL_SET_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringway {

inline constexpr std::string_view kAnyModel = "*";

class ModelSet {
 public:
  static constexpr std::size_t kNamesMax = 256;

  // What one more worker says.
  void Add(std::string_view model) {
    heard_ = true;
    if (model.empty() || model == kAnyModel || names_.size() >= kNamesMax) any_ = true;
    if (any_ || Names(model)) return;
    names_.insert(std::upper_bound(names_.begin(), names_.end(), model), std::string(model));
  }
  // A job of tier `tier` may name it; an empty one names none.
  bool Takes(std::string_view tier, std::string_view model) const {
    return model.empty() || model == tier || any_ || !heard_ || Names(model);
  }
  // Somebody said so: it is not taken for want of knowledge.
  bool Names(std::string_view model) const { return std::binary_search(names_.begin(), names_.end(), model); }
  bool any() const { return any_; }
  const std::vector<std::string>& names() const { return names_; }  // sorted
  friend bool operator==(const ModelSet&, const ModelSet&) = default;

 private:
  std::vector<std::string> names_;
  bool any_ = false;
  bool heard_ = false;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_MODEL_SET_H_
