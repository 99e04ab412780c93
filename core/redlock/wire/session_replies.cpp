// What a session makes of replies: held back until replicas have what was asked, then told.
#include <utility>

#include "redlock/wire/session.hpp"

namespace redlock {

bool Session::owes_wait() const {
  if (replicas_ == 0 || broken()) return false;
  for (std::size_t i = requests_.written(); i-- > misled_;) {
    if (requests_[i].wait_follows) return false;
    if (is_for_replicas(*requests_[i].command)) return true;
  }
  return false;
}

void Session::write_wait() {
  say(wait_);
  AwaitedRequest& last = requests_.last_written();
  last.bytes += wait_.size();
  last.wait_follows = true;
}

void Session::on_reply(const RespValue& value, std::vector<Arrival>& arrivals) {
  if (held_back_ > 0 && requests_[misled_ + held_back_ - 1].wait_follows) {
    return on_wait_reply(value, arrivals);
  }
  if (requests_.written() == misled_ + held_back_) {
    const bool is_error = value.kind == RespKind::error;
    const Fault fault = is_error ? fault_of(value.text) : Fault::rejected;
    return fail(fault == Fault::rejected ? Fault::protocol : fault,
                "a reply without a request" +
                    (is_error ? ": " + secrets().shown(value.text) : std::string()),
                arrivals);
  }
  AwaitedRequest& next = requests_[misled_ + held_back_];
  if (!is_held_back(next)) return on_own_reply(value, std::nullopt, arrivals);
  next.answer = value;
  ++held_back_;
}

bool Session::is_held_back(const AwaitedRequest& request) const {
  if (replicas_ == 0) return false;
  return held_back_ > 0 || request.wait_follows || is_for_replicas(*request.command);
}

void Session::on_wait_reply(const RespValue& value, std::vector<Arrival>& arrivals) {
  std::optional<Reply> shortage;
  if (value.kind == RespKind::error) {
    shortage = Reply::unknown(fault_of(value.text),
                              "replicas: WAIT was refused: " + secrets().shown(value.text));
    // What went before it was not refused.
    shortage->sent = true;
  } else if (value.kind != RespKind::integer || value.integer < 0) {
    return fail(Fault::protocol, "no valid reply to WAIT", arrivals);
  } else if (value.integer < replicas_) {
    shortage = Reply::unknown(Fault::noreplicas,
                              "replicas: too few, " + std::to_string(value.integer) + " of " +
                                  std::to_string(replicas_) + " have it in time");
  }
  for (std::size_t left = std::exchange(held_back_, 0); left > 0 && !broken(); --left) {
    const RespValue answer = std::move(*requests_[misled_].answer);
    on_own_reply(answer, shortage, arrivals);
  }
}

void Session::on_own_reply(const RespValue& value, const std::optional<Reply>& shortage,
                           std::vector<Arrival>& arrivals) {
  // It is awaited until all has been made of its answer: where the session fails over that, or
  // memory runs out, it is answered with all the others, and a removal is still there to be sent.
  AwaitedRequest& request = requests_[misled_];
  if (is_misled_by(request, value)) {
    if (value.kind == RespKind::error) ++errors_[static_cast<std::size_t>(Fault::readonly)];
    request.asked_again = true;
    ++misled_;
    return;
  }
  on_command_reply(request, value, shortage, arrivals);
  if (broken()) return;
  requests_.erase(misled_);
}

bool Session::is_misled_by(const AwaitedRequest& request, const RespValue& value) const {
  if (request.asked_again) return false;
  // A replica finds nothing to remove, and says so: what it refused must not outlive its removal.
  const auto same = [&](const AwaitedRequest& refused) {
    return lock_name(*refused.command) == lock_name(*request.command);
  };
  const auto refused_end = requests_.begin() + static_cast<std::ptrdiff_t>(misled_);
  if (is_removal(*request.command) && std::any_of(requests_.begin(), refused_end, same)) {
    return true;
  }
  return (may_begin_anew_ || carried_out_any_) && value.kind == RespKind::error &&
         fault_of(value.text) == Fault::readonly;
}

void Session::repeat_as_text(const AwaitedRequest& request, std::vector<Arrival>& arrivals) {
  // Behind its own removal it would outlive it; withdrawn, it is of no use to anybody.
  const bool useless = request.withdrawn && !is_removal(*request.command);
  if (useless || requests_.removal_follows(*request.command)) {
    arrivals.push_back(Arrival{request.origin, Reply::denied()});
    return;
  }
  AwaitedRequest again = request;
  // Another removal may have gone out meanwhile, and an old client have acquired the lock.
  if (again.withdrawn) again.command = std::make_shared<const Command>(*undo_of(*again.command));
  again.wanted_form = ScriptForm::text;
  // The operation keeps its own deadline. It may have ended long ago, and an answer that was
  // due then must not cost this living connection.
  again.answer_by = Instant::never();
  requests_.add(std::move(again));
}

void Session::on_command_reply(const AwaitedRequest& request, const RespValue& value,
                               const std::optional<Reply>& shortage,
                               std::vector<Arrival>& arrivals) {
  const bool unknown_script = is_unknown_script(value);
  const bool by_sha1 = request.form == ScriptForm::sha1 && traits_of(*request.command).needs_script;
  // EVALSHA alone may be refused, by an ACL or by a name that was changed.
  if (by_sha1 && (unknown_script || is_refused_script(value))) {
    scripts_.note_unknown(*request.command);
    return repeat_as_text(request, arrivals);
  }
  std::optional<Reply> reply = reply_to(*request.command, value, secrets());
  // That no script has such a SHA-1 answers nothing else: an answer before it has been left out.
  if (!reply || unknown_script)
    return fail(Fault::protocol, "a reply that does not fit its request", arrivals);
  if (reply->answer == Answer::unknown) {
    ++errors_[static_cast<std::size_t>(reply->fault)];
    scripts_.note_no_offer(*request.command);
  }
  if (reply->fault == Fault::scripts) scripts_.note_none_runs();
  if (reply->answer != Answer::unknown) {
    scripts_.note_carried_out(*request.command);
    served_ = true;
    // What a replica never does.
    const bool writes = is_acquisition(*request.command) || is_removal(*request.command);
    carried_out_any_ = carried_out_any_ || (writes && reply->answer == Answer::granted);
  } else if (is_removal(*request.command) && is_passing(value.text)) {
    served_ = false;
    refused_.push_back(
        {std::make_shared<const Command>(*undo_of(*request.command)), request.repeat_until});
  }
  const bool lacks = shortage && reply->answer == Answer::granted;
  if (lacks && is_for_replicas(*request.command)) {
    ++errors_[static_cast<std::size_t>(shortage->fault)];
    reply = *shortage;
  }
  if (request.origin.operation != 0) {
    arrivals.push_back(Arrival{request.origin, std::move(*reply)});
  }
}

}  // namespace redlock
