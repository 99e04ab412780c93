// Versions and the number of connections.
#include "module/info.hpp"

#include <cstdio>

#include "border/globals.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"
#include "lease/server_stats.hpp"
#include "lease/stats.hpp"
#include "module/php_redlock.h"
#include "redlock/os/look_up.hpp"
#include "redlock/os/memory_servers.hpp"
#include "redlock/os/tls_context.hpp"
#include "redlock/wire/codec.hpp"

namespace redlock::php {

void print_info() {
  char hiredis_version[32] = "";
  char hiredis_origin_file[1024] = "";
  char cares_version_text[32] = "";
  char openssl_text[128] = "";
  char open_connections[24] = "0";
  char open_listeners[24] = "0";
  char in_memory[640] = "none";
  const bool known = guarded({}, [&] {
    park(hiredis_version, hiredis_version_built());
    park(hiredis_origin_file, hiredis_origin());
    park(cares_version_text, cares_version());
    park(openssl_text, tls_available() ? openssl_version() : "not built in");
    std::string names;
    for (const std::string& name : memory::names()) {
      names += (names.empty() ? "memory://" : ", memory://") + name;
    }
    // Cut within a UTF-8 character, the text would be an empty cell in an HTML page.
    if (!names.empty()) {
      park(in_memory, printable(names, 128) + " (for tests: they end with the request)");
    }
    if (ThreadState* const thread = REDLOCK_G(thread); thread != nullptr) {
      park(open_connections, std::to_string(thread->runtime.pool().connection_count()));
      park(open_listeners, std::to_string(thread->runtime.pool().listener_count()));
    }
  });
  if (!known) return;
  php_info_print_table_start();
  php_info_print_table_row(2, "redlock support", "enabled");
  php_info_print_table_row(2, "Version", PHP_REDLOCK_VERSION);
  php_info_print_table_row(2, "hiredis version (built)", hiredis_version);
  php_info_print_table_row(2, "hiredis code (running)", hiredis_origin_file);
  php_info_print_table_row(2, "c-ares version", cares_version_text);
  php_info_print_table_row(2, "TLS", openssl_text);
  php_info_print_table_row(2, "Open connections of this thread", open_connections);
  php_info_print_table_row(2, "Listening connections of this thread", open_listeners);
  php_info_print_table_row(2, "Servers in this process", in_memory);
  print_stats();
  print_server_stats();
  php_info_print_table_end();
}

}  // namespace redlock::php
