// What is known, what is under way, and getaddrinfo(3) for numbers only.
#include "redlock/os/resolver.hpp"

#include <netdb.h>

#include <algorithm>

namespace redlock {

namespace {

std::string name_of(const std::string& host, std::uint16_t port) {
  return host + ':' + std::to_string(port);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// With this flag it reads text and asks nobody.
Resolution read_number(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Resolution resolution;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) {
    return resolution;
  }
  const std::unique_ptr<addrinfo, FreeAddresses> owner(list);
  for (; list != nullptr; list = list->ai_next) {
    resolution.add(list->ai_addr, list->ai_addrlen, list->ai_family);
  }
  return resolution;
}

}  // namespace

Resolver::Answer Resolver::resolve(const std::string& host, std::uint16_t port, Instant now) {
  std::erase_if(jobs_, [now](const auto& job) { return now >= job.second->since + kResolvedFor; });
  Resolution number = read_number(host, port);
  if (!number.addresses.empty()) return {std::move(number), nullptr};
  const std::string name = name_of(host, port);
  if (const auto begun = jobs_.find(name); begun != jobs_.end()) {
    std::shared_ptr<Job> job = begun->second;
    std::optional<Resolution> found = drive(*job, now);
    if (!found) return {{}, std::move(job)};
    if (!found->addresses.empty()) return {std::move(*found), nullptr};
    // It failed while nobody looked, perhaps long ago.
  }
  const auto known = known_.find(name);
  if (known != known_.end() && now < known->second.until) {
    return {in_order(name, known->second.resolution), nullptr};
  }
  if (!make_room()) return {{{}, "too many host names are being resolved"}, nullptr};
  auto job = std::make_shared<Job>(name, now, sources_, host, port);
  jobs_[name] = job;
  std::optional<Resolution> found = drive(*job, now);
  if (!found) return {{}, std::move(job)};
  return {std::move(*found), nullptr};
}

// The oldest look-up that nobody waits for any more makes room for another.
bool Resolver::make_room() {
  if (jobs_.size() < kLookUpsMax) return true;
  auto oldest = jobs_.end();
  for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
    if (job->second.use_count() > 1) continue;
    if (oldest == jobs_.end() || job->second->since < oldest->second->since) oldest = job;
  }
  if (oldest == jobs_.end()) return false;
  jobs_.erase(oldest);
  return true;
}

std::optional<Resolution> Resolver::drive(Job& job, Instant now) {
  job.look_up.drive();
  if (!job.look_up.done()) return std::nullopt;
  const Resolution& result = job.look_up.result();
  const Instant until = job.since + kResolvedFor;
  // A failure is worth asking again.
  if (!result.addresses.empty() && now < until) {
    if (known_.size() >= kResolvedNamesMax) known_.clear();
    known_[job.name] = {result, until};
  }
  // A later look-up of this name may stand in its place.
  const auto found = jobs_.find(job.name);
  if (found != jobs_.end() && found->second.get() == &job) jobs_.erase(found);
  return in_order(job.name, result);
}

Resolution Resolver::in_order(const std::string& name, Resolution resolution) const {
  if (const auto first = first_.find(name); first != first_.end()) {
    const auto place = std::ranges::find(resolution.addresses, first->second);
    if (place != resolution.addresses.end()) {
      std::rotate(resolution.addresses.begin(), place, resolution.addresses.end());
    }
  }
  return resolution;
}

void Resolver::prefer(const std::string& host, std::uint16_t port, const SocketAddress& address) {
  if (first_.size() >= kResolvedNamesMax) first_.clear();
  first_[name_of(host, port)] = address;
}

void Resolver::forget(const std::string& host, std::uint16_t port) {
  known_.erase(name_of(host, port));
}

void Resolver::forget_all() {
  known_.clear();
  jobs_.clear();
  first_.clear();
}

}  // namespace redlock
