#include "engine/model_store.h"

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

using StoreClock = std::chrono::steady_clock;

double SecondsFrom(StoreClock::time_point begin) {
  return std::chrono::duration<double>(StoreClock::now() - begin).count();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelStore>> ModelStore::Make(std::map<std::string, StoredModel> models,
                                                             std::size_t bytes_max,
                                                             const EngineOptions& options) {
  if (models.empty() || models.size() > kModelsMax)
    return absl::InvalidArgumentError(
        absl::StrCat("a store of ", models.size(), " models; 1 to ", kModelsMax, " are allowed"));
  std::unique_ptr<ModelStore> store(new ModelStore(bytes_max, options));
  for (auto& [name, model] : models) store->entries_[name].model = std::move(model);
  store->prefetcher_ = std::thread([raw = store.get()] { raw->PrefetchLoop(); });
  return store;
}

ModelStore::~ModelStore() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (prefetcher_.joinable()) prefetcher_.join();
}

std::size_t ModelStore::ResidentBytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, entry] : entries_)
    if (entry.engine != nullptr) bytes += entry.bytes;
  return bytes;
}

// An engine that somebody holds has more owners than the store.
void ModelStore::MakeRoom(std::size_t for_bytes, const Entry* keep) {
  while (bytes_max_ != 0 && ResidentBytes() + for_bytes > bytes_max_) {
    Entry* oldest = nullptr;
    for (auto& [name, entry] : entries_) {
      const bool idle = entry.engine != nullptr && entry.engine.use_count() == 1 && &entry != keep;
      if (idle && (oldest == nullptr || entry.used < oldest->used)) oldest = &entry;
    }
    if (oldest == nullptr) return;  // all that is left is in use
    oldest->engine.reset();
  }
}

absl::Status ModelStore::Open(std::unique_lock<std::mutex>& lock, Entry& entry, const std::string& name) {
  entry.opening = true;
  MakeRoom(entry.bytes, &entry);
  lock.unlock();
  EngineOptions options = options_;
  options.configuration = entry.model.configuration;
  const StoreClock::time_point begin = StoreClock::now();
  auto engine = PictureEngine::Open(entry.model.path, options);
  absl::Status status = engine.status();
  if (status.ok()) status = (*engine)->Load();
  const double seconds = SecondsFrom(begin);
  lock.lock();
  entry.opening = false;
  changed_.notify_all();
  if (!status.ok()) return status;
  const PictureEngine::Residency residency = (*engine)->residency();
  entry.bytes = residency.bytes;
  if (bytes_max_ != 0 && entry.bytes > bytes_max_)
    return absl::ResourceExhaustedError(absl::StrCat("the model \"", name, "\" takes ", entry.bytes,
                                                     " bytes, and ", bytes_max_,
                                                     " are allowed for all; raise the budget"));
  Cost& cost = costs_[static_cast<std::size_t>(residency.derived == 0 ? Switch::kPacked : Switch::kOpened)];
  ++cost.count;
  cost.last_s = seconds;
  cost.sum_s += seconds;
  entry.engine = *std::move(engine);
  entry.used = ++clock_;
  MakeRoom(0, &entry);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<PictureEngine>> ModelStore::Get(const std::string& name) {
  const StoreClock::time_point begin = StoreClock::now();
  std::unique_lock lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    lock.unlock();
    return absl::NotFoundError(absl::StrCat("there is no model \"", name.substr(0, 100),
                                            "\" here; there are: ", absl::StrJoin(names(), ", ")));
  }
  Entry& entry = found->second;
  changed_.wait(lock, [&] { return !entry.opening; });
  if (entry.engine == nullptr) {
    if (absl::Status opened = Open(lock, entry, name); !opened.ok()) return opened;
    return entry.engine;
  }
  entry.used = ++clock_;
  Cost& cost = costs_[static_cast<std::size_t>(Switch::kResident)];
  ++cost.count;
  cost.last_s = SecondsFrom(begin);
  cost.sum_s += cost.last_s;
  return entry.engine;
}

void ModelStore::Prefetch(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = name;
  }
  changed_.notify_all();
}

// In the background: the job that runs meanwhile is to go on as if nothing were.
void ModelStore::PrefetchLoop() {
  const BackgroundWork gives_way;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !wish_.empty(); });
    if (closing_) return;
    const std::string name = std::exchange(wish_, "");
    const auto found = entries_.find(name);
    if (found == entries_.end() || found->second.opening || found->second.engine != nullptr) continue;
    (void)Open(lock, found->second, name);  // who asks for it finds it missing, and what is wrong
  }
}

bool ModelStore::IsResident(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found != entries_.end() && found->second.engine != nullptr;
}

std::size_t ModelStore::resident_bytes() const {
  const std::lock_guard lock(mutex_);
  return ResidentBytes();
}

ModelStore::Cost ModelStore::CostOf(Switch kind) const {
  const std::lock_guard lock(mutex_);
  return costs_[static_cast<std::size_t>(kind)];
}

std::vector<std::string> ModelStore::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

}  // namespace ringway::engine
