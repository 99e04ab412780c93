// Subscribing and publishing, as RESP2 connections do it.
#include <algorithm>

#include "redlock/memory/server.hpp"

namespace redlock::memory {

namespace {

void append_change(std::string& out, std::string_view verb, const std::string* channel,
                   std::size_t count) {
  append_array_header(out, 3);
  append_bulk(out, verb);
  if (channel == nullptr) {
    append_nil(out);
  } else {
    append_bulk(out, *channel);
  }
  append_integer(out, static_cast<std::int64_t>(count));
}

}  // namespace

void Server::subscribe(const Arguments& arguments, std::string& out) {
  std::vector<std::string>& channels = session_->channels;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string channel(arguments[i]);
    if (std::ranges::find(channels, channel) == channels.end()) {
      channels.push_back(channel);
      subscriptions_.push_back({channel, session_->id});
    }
    append_change(out, "subscribe", &channel, channels.size());
  }
}

// From all, where it names none.
void Server::unsubscribe(const Arguments& arguments, std::string& out) {
  std::vector<std::string>& channels = session_->channels;
  std::vector<std::string> named(arguments.begin() + 1, arguments.end());
  if (named.empty()) named = channels;
  for (const std::string& channel : named) {
    std::erase(channels, channel);
    std::erase_if(subscriptions_, [&](const Subscription& one) {
      return one.session == session_->id && one.channel == channel;
    });
    append_change(out, "unsubscribe", &channel, channels.size());
  }
  if (named.empty()) append_change(out, "unsubscribe", nullptr, 0);
}

void Server::publish(const Arguments& arguments, std::string& out) {
  std::string message;
  append_array_header(message, 3);
  append_bulk(message, "message");
  append_bulk(message, arguments[1]);
  append_bulk(message, arguments[2]);
  std::int64_t receivers = 0;
  std::erase_if(subscriptions_, [&](const Subscription& one) {
    if (one.channel != arguments[1]) return false;
    if (sink_ == nullptr || !sink_->push(one.session, message)) return true;
    ++receivers;
    return false;
  });
  if (observer_ != nullptr) observer_->published(arguments[1], arguments[2], receivers);
  append_integer(out, receivers + conditions_.strangers);
}

}  // namespace redlock::memory
