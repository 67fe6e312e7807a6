#include "router/daemon/address_book.h"

#include <utility>

#include "runtime/grpc_server.h"

namespace ringway::router {

WorkerId AddressBook::WorkerAt(const std::string& address, bool speaks_grpc) {
  if (const auto found = workers_by_address_.find(address); found != workers_by_address_.end()) {
    return found->second;
  }
  if (workers_.size() >= kEntriesMax) return WorkerId();
  auto worker = std::make_unique<KnownWorker>();
  worker->address = address;
  if (speaks_grpc) worker->stub = v1::Worker::NewStub(runtime::MakeChannel(address));
  const WorkerId id = workers_.push_back(std::move(worker));
  workers_by_address_[address] = id;
  return id;
}

WorkerId AddressBook::FindWorker(const std::string& address) const {
  const auto found = workers_by_address_.find(address);
  return found == workers_by_address_.end() ? WorkerId() : found->second;
}

RouterId AddressBook::RouterNamed(const std::string& name, const std::string& address) {
  RouterId id;
  if (const auto found = routers_by_name_.find(name); found != routers_by_name_.end()) {
    id = found->second;
  } else {
    if (routers_.size() >= kEntriesMax) return RouterId();
    id = routers_.push_back(std::make_unique<KnownRouter>());
    routers_[id]->name = name;
    routers_by_name_[name] = id;
  }
  KnownRouter& router = *routers_[id];
  if (router.address != address) {
    router.address = address;
    const auto channel = runtime::MakeChannel(address);
    router.stub = v1::Peer::NewStub(channel);
    router.once = v1::Once::NewStub(channel);
  }
  return id;
}

}  // namespace ringway::router
