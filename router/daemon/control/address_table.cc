#include "router/daemon/control/address_table.h"

#include <algorithm>
#include <utility>

#include "runtime/grpc_server.h"

namespace ringway::router {

std::shared_ptr<grpc::Channel> AddressTable::Dial(const std::string& address) const {
  return runtime::MakeChannel(address, runtime::kMessageBytesMax, token_);
}

WorkerId AddressTable::WorkerAt(const std::string& address, Time now, bool local) {
  if (const auto found = workers_by_address_.find(address); found != workers_by_address_.end()) {
    return found->second;
  }
  if (workers_.size() >= kEntriesMax) return WorkerId();
  const Duration since = counted_at_ == InfinitePast() ? ZeroDuration() : now - counted_at_;
  counted_at_ = now;
  new_workers_ = std::min(kNewWorkersBurst, new_workers_ + ToDoubleSeconds(since) * kNewWorkersPerSecond);
  if (!local && new_workers_ < 1) return WorkerId();
  if (!local) new_workers_ -= 1;
  auto worker = std::make_unique<KnownWorker>();
  worker->address = address;
  const WorkerId id = workers_.push_back(std::move(worker));
  workers_by_address_[address] = id;
  return id;
}

WorkerId AddressTable::FindWorker(const std::string& address) const {
  const auto found = workers_by_address_.find(address);
  return found == workers_by_address_.end() ? WorkerId() : found->second;
}

RouterId AddressTable::RouterNamed(const std::string& name) {
  if (const RouterId known = FindRouter(name); known.valid()) return known;
  if (routers_.size() >= kEntriesMax) return RouterId();
  const RouterId id = routers_.push_back(std::make_unique<KnownRouter>());
  routers_[id]->name = name;
  routers_by_name_[name] = id;
  return id;
}

RouterId AddressTable::FindRouter(const std::string& name) const {
  const auto found = routers_by_name_.find(name);
  return found == routers_by_name_.end() ? RouterId() : found->second;
}

void AddressTable::Move(RouterId id, const std::string& address) {
  if (std::exchange(routers_[id]->address, address) != address) HangUp(id);
}

const std::shared_ptr<v1::Worker::Stub>& AddressTable::WorkerStub(WorkerId id) {
  KnownWorker& worker = *workers_[id];
  if (worker.stub == nullptr) worker.stub = v1::Worker::NewStub(Dial(worker.address));
  return worker.stub;
}

const std::shared_ptr<v1::Peer::Stub>& AddressTable::PeerStub(RouterId id) {
  KnownRouter& router = *routers_[id];
  if (router.peer == nullptr) router.peer = v1::Peer::NewStub(Dial(router.address));
  return router.peer;
}

v1::Once::Stub& AddressTable::OnceStub(RouterId id) {
  KnownRouter& router = *routers_[id];
  if (router.once == nullptr) router.once = v1::Once::NewStub(Dial(router.address));
  return *router.once;
}

void AddressTable::HangUp(RouterId id) {
  routers_[id]->peer.reset();
  routers_[id]->once.reset();
}

}  // namespace ringway::router
