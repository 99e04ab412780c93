// Servers as PHP arrays and strings name them.
//
// Every function throws ArgumentError or TypeMismatch, whose text begins with `argument` and
// never holds a password, and calls nothing of Zend that can fail.
#pragma once
#include <string_view>
#include <vector>

#include "border/zend.hpp"
#include "redlock/config/endpoint.hpp"

namespace redlock::php {

// An array as server_fields.hpp reads it. A timeout without its name gives the server at least the
// usual time.
[[nodiscard]] ServerSpec server_from_array(std::string_view argument, HashTable* array);
// A string as parse_server() takes it.
[[nodiscard]] ServerSpec server_from_text(std::string_view argument, std::string_view text);
// One or several in a string, with commas between them: a comma in a password is written %2C there.
[[nodiscard]] std::vector<ServerSpec> servers_from_text(std::string_view argument,
                                                        std::string_view text);
// A list of arrays and strings; errors name the position, from 1. Its keys may be names for the
// servers, but not names of fields: one server's array in place of the list would be as many
// servers as it has fields.
[[nodiscard]] std::vector<ServerSpec> servers_from(std::string_view argument, HashTable* list);

}  // namespace redlock::php
