// redlock inspect: who holds a lock, and who waits.
#include <string>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/no_lock.hpp"
#include "cli/time_text.hpp"
#include "cli/words.hpp"

namespace redlock::cli {

namespace {

std::string number_or_null(const auto& number) { return number ? std::to_string(*number) : "null"; }

std::string view_json(const View& view) {
  std::string out = "\"token\":null,\"owner\":null,\"ttl_ms\":null";
  if (view.holder) {
    const Holder& holder = *view.holder;
    out = "\"token\":" + json(holder.token) +
          ",\"owner\":" + (holder.owner.empty() ? "null" : json(holder.owner)) + ",\"ttl_ms\":" +
          (holder.left ? std::to_string(holder.left->count()) : std::string("null"));
  }
  out += ",\"waiting\":" + number_or_null(view.waiting) + ",\"line\":[";
  std::string_view between;
  for (const InLine& waiter : view.line) {
    out.append(between).append("{\"token\":").append(json(waiter.token)).append(",\"owner\":");
    out += (waiter.owner.empty() ? "null" : json(waiter.owner)) +
           ",\"waited_ms\":" + std::to_string(waiter.waited.count()) + "}";
    between = ",";
  }
  return out + "],\"readers\":" + number_or_null(view.readers);
}

std::string inspection_json(const std::string& resource, const Inspection& seen) {
  std::string out = "{\"resource\":" + json(resource) +
                    ",\"reachable\":" + (seen.reachable ? "true" : "false") +
                    ",\"decided\":" + (seen.decided ? "true" : "false") + "," +
                    view_json(seen.majority) + ",\"servers\":[";
  std::string_view between;
  for (const ServerView& server : seen.servers) {
    out.append(between).append("{\"server\":").append(json(server.server)).append(",");
    out += view_json(server.view) + ",\"error\":";
    out += (server.fault == Fault::none ? "null" : json(server.reason)) + "}";
    between = ",";
  }
  return out + "]}\n";
}

std::string left_text(const Holder& holder) {
  return holder.left ? "for " + time_text(*holder.left) : "for ever, so it is no lock";
}

std::string waiting_text(const View& view) {
  return view.waiting ? std::to_string(*view.waiting) + " waiting" : "waiters unknown";
}

std::string readers_text(std::int64_t readers, const Holder& holder) {
  return "shared by " + std::to_string(readers) + (readers == 1 ? " reader " : " readers ") +
         left_text(holder);
}

std::string majority_text(const Inspection& seen) {
  if (!seen.majority.holder && is_no_lock(seen)) return "something that is no lock";
  if (!seen.reachable) return "not known: no majority of the servers can be asked";
  if (!seen.decided) {
    return "not known: a majority of the servers may hold it, and not all of them answer";
  }
  const std::optional<Holder>& holder = seen.majority.holder;
  if (!holder) return "free, " + waiting_text(seen.majority);
  if (seen.majority.readers) {
    return readers_text(*seen.majority.readers, *holder) + ", " + waiting_text(seen.majority);
  }
  const std::string who = holder->owner.empty()
                              ? "token " + shown(holder->token)
                              : shown(holder->owner) + " (token " + shown(holder->token) + ")";
  return "held by " + who + " " + left_text(*holder) + ", " + waiting_text(seen.majority);
}

std::string server_text(const ServerView& server) {
  if (server.fault != Fault::none) return shown(server.reason);
  if (!server.view.holder) return "free, " + waiting_text(server.view);
  const Holder& holder = *server.view.holder;
  const std::string who = server.view.readers
                              ? readers_text(*server.view.readers, holder)
                              : "token " + shown(holder.token) + " " + left_text(holder);
  return who + ", " + waiting_text(server.view);
}

}  // namespace

int inspect(Client& client, const Inspect& asked) {
  const Inspection seen = client.inspect(asked.resource);
  std::string out;
  if (asked.as_json) {
    out = inspection_json(asked.resource, seen);
  } else {
    out = shown(asked.resource) + ": " + majority_text(seen) + "\n";
    for (const InLine& waiter : seen.majority.line) {
      out += "  " + padded("waits for " + time_text(waiter.waited), 28) + " " +
             name_of(waiter.owner, waiter.token) + "\n";
    }
    for (const ServerView& server : seen.servers) {
      out += "  " + padded(server.server, 28) + " " + server_text(server) + "\n";
    }
  }
  say(out);
  return seen.decided && !is_no_lock(seen) ? kDone : kUnreachable;
}

}  // namespace redlock::cli
