// Recording what one script did, and holding the other one against it.
#include "sim/twin_engine.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/servers.hpp"

namespace redlock::sim {

namespace {

struct Step {
  std::vector<std::string> words;
  std::string reply;
};

std::string shown(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " '" + word + "'";
  return text;
}

class Recorder final : public ScriptHost {
 public:
  explicit Recorder(ScriptHost& host) : host_(host) {}
  void call_from_script(const Arguments& arguments, std::string& reply) override {
    const std::size_t before = reply.size();
    host_.call_from_script(arguments, reply);
    steps.push_back({{arguments.begin(), arguments.end()}, reply.substr(before)});
  }
  std::vector<Step> steps;

 private:
  ScriptHost& host_;
};

class Player final : public ScriptHost {
 public:
  explicit Player(const std::vector<Step>& steps) : steps_(steps) {}
  void call_from_script(const Arguments& arguments, std::string& reply) override {
    const std::vector<std::string> words(arguments.begin(), arguments.end());
    if (next_ == steps_.size()) throw std::logic_error("the native script goes on:" + shown(words));
    const Step& step = steps_[next_++];
    if (step.words != words) {
      throw std::logic_error("Lua calls" + shown(step.words) + ", the native script" +
                             shown(words));
    }
    reply += step.reply;
  }
  void end() const {
    if (next_ == steps_.size()) return;
    throw std::logic_error("the native script leaves out" + shown(steps_[next_].words));
  }

 private:
  const std::vector<Step>& steps_;
  std::size_t next_ = 0;
};

// Lua says in an error where it arose.
bool same_answer(std::string_view lua, std::string_view native) {
  if (lua.starts_with('-')) {
    lua = lua.substr(0, lua.find(" script: "));
    native = native.substr(0, native.find("\r\n"));
    lua = lua.substr(0, lua.find("\r\n"));
  }
  return lua == native;
}

}  // namespace

bool TwinEngine::load(const std::string& sha1, std::string_view text, std::string& error) {
  if (!lua_.load(sha1, text, error)) return false;
  if (!native_.sha1_of(text).empty()) natives_.push_back(sha1);
  return true;
}

void TwinEngine::run(const std::string& sha1, std::span<const std::string_view> keys,
                     std::span<const std::string_view> arguments, ScriptHost& host,
                     std::string& out) {
  if (std::ranges::find(natives_, sha1) == natives_.end()) {
    return lua_.run(sha1, keys, arguments, host, out);
  }
  Recorder recorder(host);
  std::string answer;
  lua_.run(sha1, keys, arguments, recorder, answer);
  Player player(recorder.steps);
  std::string native;
  native_.run(sha1, keys, arguments, player, native);
  player.end();
  if (!same_answer(answer, native)) {
    throw std::logic_error("Lua answers " + answer + ", the native script " + native);
  }
  out += answer;
}

}  // namespace redlock::sim
