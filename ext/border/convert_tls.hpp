// The options of TLS as PHP arrays name them, and the files they speak of.
//
// Every function throws ArgumentError or TypeMismatch, whose text never holds a value, and calls
// nothing of Zend that can fail.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/config/tls_draft.hpp"

namespace redlock::php {

// [name of PHP's stream context => value], or null. `field` is whose options they are.
void take_tls_options(TlsDraft& draft, std::string_view field, const zval* value);

// Makes the paths of files absolute: they are read whenever a connection is made, also by another
// thread, when PHP may stand in another folder.
void anchor_tls_paths(Endpoint& endpoint);

}  // namespace redlock::php
