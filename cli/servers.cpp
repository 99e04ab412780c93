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

// What stands between the separators, without spaces around it.
std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t first = part.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(" \t\r\n") + 1 - first));
  }
  return parts;
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
  for (const std::string& line : parts_of(text.str(), '\n')) {
    // A comma is the server's own: it may stand in a password.
    if (!line.starts_with('#')) servers.push_back(line);
  }
  if (servers.empty()) throw std::invalid_argument("no servers stand in " + path);
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
  std::vector<std::string> servers = parts_of(list, ',');
  if (servers.empty()) {
    throw std::invalid_argument(std::string("no servers: name them with --servers, or in the "
                                            "environment as ") +
                                kServersVariable);
  }
  return servers;
}

}  // namespace redlock::cli
