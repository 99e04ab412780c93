// What each request does to the keys.
#include "support/fake_server.hpp"

#include <algorithm>
#include <stdexcept>

#include "redlock/wire/scripts.hpp"

namespace redlock::test {

namespace {

const Script& script_named(const std::string& text_or_sha1) {
  for (const Script* script :
       {&scripts::pass, &scripts::extend_if_equal, &scripts::check_equal, &scripts::swap_if_equal,
        &scripts::inspect, &scripts::stamp_take, &scripts::stamp_undo, &scripts::stamp_release,
        &scripts::stamp_check}) {
    if (script->text == text_or_sha1 || script->sha1 == text_or_sha1) return *script;
  }
  throw std::runtime_error("no script of ours: " + text_or_sha1);
}

}  // namespace

Arguments plain_take(const Arguments& request) {
  const bool as_script = request.front() == "EVAL" && request.at(1) == scripts::set_if_absent.text;
  if (!as_script) return request;
  return {"SET", request.at(3), request.at(4), "NX", "PX", request.at(5)};
}

std::string FakeServer::execute(const Arguments& given) {
  const Arguments request = plain_take(given);
  log.push_back(request);
  if (say) {
    if (const auto words = say(request)) return *words;
  }
  const std::string& verb = request.at(0);
  if (verb == "AUTH" || verb == "SELECT" || verb == "CLIENT") return std::string(kOk);
  if (verb == "SET") return set_if_absent(request);
  if (verb == "EVAL" || verb == "EVALSHA") return run_script(request);
  if (verb == "SUBSCRIBE") return "*3\r\n" + bulk("subscribe") + bulk(request.at(1)) + integer(1);
  // As to one that is subscribed.
  if (verb == "PING") return "*2\r\n" + bulk("pong") + bulk("");
  if (verb == "PTTL") return integer(keys.contains(request.at(1)) ? 60'000 : -2);
  throw std::runtime_error("no request of ours: " + verb);
}

std::size_t FakeServer::count(const std::string& verb) const {
  const auto matches =
      std::ranges::count_if(log, [&](const Arguments& request) { return request.front() == verb; });
  return static_cast<std::size_t>(matches);
}

std::string FakeServer::set_if_absent(const Arguments& request) {
  if (request.size() != 6 || request[3] != "NX" || request[4] != "PX") {
    throw std::runtime_error("a SET without NX and PX");
  }
  const bool is_new = keys.try_emplace(request[1], request[2]).second;
  return std::string(is_new ? kOk : kNil);
}

std::string FakeServer::run_script(const Arguments& request) {
  const Script& script = script_named(request.at(1));
  if (request[0] == "EVALSHA" && !known_scripts.contains(request[1])) {
    return error("NOSCRIPT No matching script. Please use EVAL.");
  }
  known_scripts.emplace(script.sha1);
  const std::string& key = request.at(3);
  const auto found = keys.find(key);
  if (&script == &scripts::inspect) {
    return bulk(found == keys.end() ? "-2 0 0 " : "60000 0 0 " + found->second);
  }
  const bool is_check = &script == &scripts::check_equal || &script == &scripts::stamp_check ||
                        &script == &scripts::extend_if_equal;
  if (&script == &scripts::stamp_take) {
    if (found != keys.end()) return integer(0);
    return bulk(keys[key] = "1700000000000." + request.at(5));
  }
  const std::string& proof = request.at(4);
  if (&script == &scripts::swap_if_equal) {
    if (found == keys.end() || found->second != proof) return integer(0);
    found->second = request.at(5);
    return integer(1);
  }
  const bool ours =
      found != keys.end() && (&script == &scripts::stamp_undo ? found->second.ends_with("." + proof)
                                                              : found->second == proof);
  if (ours && !is_check) keys.erase(found);
  return integer(ours ? 1 : 0);
}

}  // namespace redlock::test
