// The simulator's servers are those of memory://, by their names here.
#pragma once
#include "redlock/memory/server.hpp"

namespace redlock::sim {

using memory::append_array_header;
using memory::append_bulk;
using memory::append_error;
using memory::append_integer;
using memory::append_nil;
using memory::append_status;
using memory::Arguments;
using memory::Conditions;
using memory::Entry;
using memory::equals_ignoring_case;
using memory::Item;
using memory::kDatabases;
using memory::Keyspace;
using memory::KeyspaceObserver;
using memory::parse_integer;
using memory::parse_request;
using memory::ParsedRequest;
using memory::ParseState;
using memory::PushSink;
using memory::ScriptHost;
using memory::Server;
using memory::ServerObserver;
using memory::ServerSession;
using memory::ValueType;

}  // namespace redlock::sim
