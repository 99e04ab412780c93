<?php

/** Every source of the core has a test of its own name, or a reason why it has none. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class UnitTests
{
    /** Sources without a test of their own name: the test that exercises them, or why there is none. */
    private const ELSEWHERE = [
        'core/redlock/algorithm/quorum_kind.cpp' => 'tests/unit/lock_kind_test.cpp',
        'core/redlock/algorithm/stamp_kind.cpp' => 'tests/unit/lock_kind_test.cpp',
        'core/redlock/client/examine.cpp' => 'tests/io/client_examine_test.cpp',
        'core/redlock/client/inspect.cpp' => 'tests/io/client_inspect_test.cpp',
        'core/redlock/client/lease.cpp' => 'tests/io/client_keep_test.cpp',
        'core/redlock/memory/admission.cpp' => 'tests/sim/conformance_test.cpp',
        'core/redlock/memory/channel_commands.cpp' => 'tests/sim/channel_conformance_test.cpp',
        'core/redlock/memory/collection_commands.cpp' => 'tests/sim/collection_conformance_test.cpp',
        'core/redlock/memory/commands.cpp' => 'tests/sim/conformance_test.cpp',
        'core/redlock/memory/fence_scripts.cpp' => 'tests/sim/fence_rules_test.cpp',
        'core/redlock/memory/line_scripts.cpp' => 'tests/sim/line_conformance_test.cpp',
        'core/redlock/memory/line_service.cpp' => 'tests/sim/pass_rules_test.cpp',
        'core/redlock/memory/native_scripts.cpp' => 'tests/sim/script_conformance_test.cpp',
        'core/redlock/memory/quorum_scripts.cpp' => 'tests/sim/script_rules_test.cpp',
        'core/redlock/memory/resp.cpp' => 'tests/sim/conformance_test.cpp',
        'core/redlock/memory/script_call.cpp' => 'tests/sim/script_rules_test.cpp',
        'core/redlock/memory/server.cpp' => 'tests/sim/conformance_test.cpp',
        'core/redlock/memory/session_commands.cpp' => 'tests/sim/conformance_test.cpp',
        'core/redlock/memory/readers.cpp' => 'tests/sim/shared_rules_test.cpp',
        'core/redlock/memory/permit_scripts.cpp' => 'tests/sim/permit_rules_test.cpp',
        'core/redlock/memory/several_scripts.cpp' => 'tests/sim/several_rules_test.cpp',
        'core/redlock/memory/shared_scripts.cpp' => 'tests/sim/shared_rules_test.cpp',
        'core/redlock/os/clock.cpp' => 'tests/unit/system_test.cpp',
        'core/redlock/os/memory_servers.cpp' => 'tests/io/memory_test.cpp',
        'core/redlock/os/socket_link.cpp' => 'tests/io/socket_dial_test.cpp',
        'core/redlock/os/tls_absent.cpp' => 'tests/unit/tls_plan_test.cpp',
        'core/redlock/queue/slot_news.cpp' => 'tests/unit/permit_wait_test.cpp',
        'core/redlock/wire/conversation.cpp' => 'tests/unit/session_handshake_test.cpp',
        'core/redlock/wire/command_codec.cpp' => 'tests/unit/translate_test.cpp',
        'core/redlock/wire/fence_codec.cpp' => 'tests/unit/translate_test.cpp',
        'core/redlock/wire/shared_codec.cpp' => 'tests/unit/translate_test.cpp',
        'core/redlock/wire/handshake.cpp' => 'tests/unit/session_handshake_test.cpp',
        'core/redlock/wire/quorum_codec.cpp' => 'tests/unit/translate_test.cpp',
        'core/redlock/wire/request_queue.cpp' => 'tests/unit/session_undo_test.cpp',
        'core/redlock/wire/stamp_codec.cpp' => 'tests/unit/translate_test.cpp',
    ];

    public static function check(Files $files, Report $report): void
    {
        $sources = $files->matching('~^core/.*\.cpp$~');
        $complaints = [];
        foreach ($sources as $source) {
            $test = basename($source, '.cpp') . '_test.cpp';
            $own = $files->matching('~^tests/(unit|io)/(.*/)?' . preg_quote($test) . '$~');
            if ($own === [] && !isset(self::ELSEWHERE[$source])) {
                $complaints[] = "$source has neither a $test nor a reason";
            } elseif ($own !== [] && isset(self::ELSEWHERE[$source])) {
                $complaints[] = "$source has a test: take it off the list of exceptions";
            }
        }
        foreach (self::ELSEWHERE as $source => $where) {
            if (!$files->has($source)) {
                $complaints[] = "$source is on the list of exceptions and does not exist";
            } elseif (str_starts_with($where, 'tests/') && !$files->has($where)) {
                $complaints[] = "$where, which is to test $source, does not exist";
            }
        }
        $report->rule('every source of the core has its test', count($sources), $complaints);
    }
}
