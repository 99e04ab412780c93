// Reading the list of servers.
#include "cli/servers.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace redlock::cli {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// Between commas. An empty place is a variable that is not set: a list without it would have
// another majority than everybody else's.
std::vector<std::string> servers_in_text(const std::string& text) {
  std::vector<std::string> servers;
  std::istringstream stream(text + ',');
  for (std::string part; std::getline(stream, part, ',');) {
    servers.push_back(trimmed(part));
    if (!servers.back().empty()) continue;
    throw std::invalid_argument("server " + std::to_string(servers.size()) +
                                " of the list is empty");
  }
  return servers;
}

std::vector<std::string> servers_in_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  std::ostringstream text;
  // An empty file sets the stream's failure, too.
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf())) ||
      file.bad()) {
    throw std::invalid_argument("servers cannot be read from " + path + ": " +
                                std::generic_category().message(errno != 0 ? errno : EIO));
  }
  if (text.view().starts_with("\xef\xbb\xbf")) {
    throw std::invalid_argument(path +
                                " begins with a byte order mark: save it as UTF-8 without one");
  }
  std::vector<std::string> servers;
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    // A comma is the server's own: it may stand in a password.
    if (!line.empty() && !line.starts_with('#')) servers.push_back(line);
  }
  if (servers.empty()) throw std::invalid_argument("there are no servers in " + path);
  return servers;
}

}  // namespace

std::vector<std::string> servers_from(const std::string& text) {
  std::string list = text;
  if (list.empty()) {
    // There is no other thread yet.
    const char* const variable = std::getenv(kServersVariable);  // NOLINT(concurrency-mt-unsafe)
    if (variable != nullptr) list = variable;
  }
  if (list.starts_with('@')) return servers_in_file(list.substr(1));
  if (trimmed(list).empty()) {
    throw std::invalid_argument(std::string("no servers: name them with --servers, or in the "
                                            "environment as ") +
                                kServersVariable);
  }
  return servers_in_text(list);
}

}  // namespace redlock::cli
