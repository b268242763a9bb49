function __quartz-agent_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __quartz-agent_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __quartz-agent_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __quartz-agent_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __quartz-agent_parse_tokens -S
    set -l unparsed_tokens (__quartz-agent_tokens -pc)
    switch $unparsed_tokens[1]
    case 'quartz-agent'
        __quartz-agent_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'run'
            __quartz-agent_parse_subcommand 0 'c/config=' 'log-level=' 'log-format=' 'version' 'h/help'
        case 'once'
            __quartz-agent_parse_subcommand -r 1 'c/config=' 'format=' 'color=' 'no-color' 'explain' 'trace' 'post' 'count=' 'warm-up=' 'every=' 'tag=+' 'export=' 'with=' 'H/header=+' 'X/request=' 'd/data=+' 'k/insecure' 'timeout=' 'retries=' 'servers=' 'version' 'h/help'
        case 'validate'
            __quartz-agent_parse_subcommand 0 'c/config=' 'print' 'explain=' 'version' 'h/help'
        case 'init'
            __quartz-agent_parse_subcommand -r 1 'o/output=' 'interval=' 'listen=' 'version' 'h/help'
        case 'test'
            __quartz-agent_parse_subcommand -r 1 'c/config=' 'format=' 'version' 'h/help'
        case 'status'
            __quartz-agent_parse_subcommand 0 'c/config=' 'socket=' 'format=' 'watch' 'state=+' 'tag=+' 'sort=' 'color=' 'no-color' 'version' 'h/help'
        case 'spool'
            __quartz-agent_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'ls'
                __quartz-agent_parse_subcommand 0 'c/config=' 'state-dir=' 'version' 'h/help'
            case 'export'
                __quartz-agent_parse_subcommand 0 'c/config=' 'state-dir=' 'waiting' 'version' 'h/help'
            case 'quarantine'
                __quartz-agent_parse_subcommand 0 'version' 'h/help'
                switch $unparsed_tokens[1]
                case 'ls'
                    __quartz-agent_parse_subcommand 0 'c/config=' 'state-dir=' 'version' 'h/help'
                case 'resubmit'
                    __quartz-agent_parse_subcommand 0 'c/config=' 'state-dir=' 'version' 'h/help'
                end
            case 'check'
                __quartz-agent_parse_subcommand 0 'c/config=' 'state-dir=' 'version' 'h/help'
            end
        case 'doctor'
            __quartz-agent_parse_subcommand 0 'c/config=' 'format=' 'color=' 'no-color' 'version' 'h/help'
        case 'schema'
            __quartz-agent_parse_subcommand 0 'markdown' 'cases' 'version' 'h/help'
        case 'import'
            __quartz-agent_parse_subcommand -r 2 'o/output=' 'report=' 'force' 'diff=' 'for=' 'version' 'h/help'
        case 'trace'
            __quartz-agent_parse_subcommand 1 'c/config=' 'method=' 'port=' '4/ipv4' '6/ipv6' 'max-ttl=' 'count=' 'flows=' 'wait=' 'n/numeric' 'networks=' 'report' 'format=' 'color=' 'no-color' 'version' 'h/help'
        case 'compare'
            __quartz-agent_parse_subcommand 2 'format=' 'check=' 'by-place' 'period=' 'fail-slower=' 'c/config=' 'socket=' 'color=' 'no-color' 'version' 'h/help'
        case 'group'
            __quartz-agent_parse_subcommand 0 'checks' 'format=' 'c/config=' 'socket=' 'version' 'h/help'
        case 'incidents'
            __quartz-agent_parse_subcommand 0 'all' 'format=' 'c/config=' 'socket=' 'version' 'h/help'
        case 'ack'
            __quartz-agent_parse_subcommand 1 'by=' 'why=' 'c/config=' 'socket=' 'version' 'h/help'
        case 'mute'
            __quartz-agent_parse_subcommand 2 'by=' 'why=' 'c/config=' 'socket=' 'version' 'h/help'
        case 'unmute'
            __quartz-agent_parse_subcommand 1 'by=' 'why=' 'c/config=' 'socket=' 'version' 'h/help'
        case 'maintenance'
            __quartz-agent_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'start'
                __quartz-agent_parse_subcommand 2 'skip' 'by=' 'why=' 'c/config=' 'socket=' 'version' 'h/help'
            case 'end'
                __quartz-agent_parse_subcommand 1 'by=' 'why=' 'c/config=' 'socket=' 'version' 'h/help'
            case 'list'
                __quartz-agent_parse_subcommand 0 'c/config=' 'socket=' 'version' 'h/help'
            end
        case 'post'
            __quartz-agent_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'write'
                __quartz-agent_parse_subcommand 1 'state=' 'for=' 'text=' 'update=' 'edit=' 'title=' 'by=' 'c/config=' 'socket=' 'version' 'h/help'
            case 'list'
                __quartz-agent_parse_subcommand 0 'c/config=' 'socket=' 'version' 'h/help'
            case 'delete'
                __quartz-agent_parse_subcommand 1 'c/config=' 'socket=' 'version' 'h/help'
            end
        case 'report'
            __quartz-agent_parse_subcommand 0 'month=' 'format=' 'objective=' 'tag=+' 'c/config=' 'socket=' 'version' 'h/help'
        case 'alert'
            __quartz-agent_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'test'
                __quartz-agent_parse_subcommand -r 1 'kind=' 'print' 'c/config=' 'version' 'h/help'
            case 'explain'
                __quartz-agent_parse_subcommand 1 'c/config=' 'socket=' 'version' 'h/help'
            end
        case 'completions'
            __quartz-agent_parse_subcommand 1 'version' 'h/help'
        case 'man'
            __quartz-agent_parse_subcommand 1 'version' 'h/help'
        case 'help'
            __quartz-agent_parse_subcommand -r 1 'version'
        end
    end
end

function __quartz-agent_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __quartz-agent_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __quartz-agent_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __quartz-agent_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__quartz-agent_tokens -p)
    if test -z "$(__quartz-agent_tokens -t)"
        set -l index (count (__quartz-agent_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'quartz-agent' -f
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'run' -d 'Probe on schedule, keep uptime windows, deliver results.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'once' -d 'Run checks now and print the results.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'validate' -d 'Check the configuration and list every problem with its place.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'init' -d 'Write a first configuration for targets, with comments.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'test' -d 'Try the checks of the configuration on made-up answers, without a network.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'status' -d 'Show the running agent\'s checks, uptime, store, delivery, and problems.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'spool' -d 'Look into the store of results, of a running agent or a stopped one.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'doctor' -d 'Find problems of this machine that would falsify results.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'schema' -d 'Print the JSON Schema of agent.yaml, or of a file of cases, for editors.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'import' -d 'Turn another monitor\'s configuration into an agent.yaml.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'trace' -d 'Trace the route to a target, hop by hop.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'compare' -d 'Compare the latency of two files of results, phase by phase, or of the places of a group.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'group' -d 'Show the group of a running agent: members, their checks, and the latest moves.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'incidents' -d 'Show the open incidents, or with --all also the latest that are resolved.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'ack' -d 'Acknowledge an incident: no reminders until it is resolved, gets worse or gets a new member.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'mute' -d 'Mute notifications for a check, a tag or everything until the mute expires.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'unmute' -d 'End a mute early.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'maintenance' -d 'Start and end a maintenance window by hand, as around a deployment.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'post' -d 'Post to the public page what people should know, update it, and end it.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'report' -d 'Show a month: uptime, outages, error budget, response times, maintenance.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'alert' -d 'Try notification channels, and explain their notifications.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'completions' -d 'Print the completion script of a shell.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'man' -d 'Print a page of the manual, for man(1).'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent run" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent run" log-level' -l 'log-level' -d 'trace, debug, info, notice, warning, error or critical.' -rfka 'trace debug info notice warning error critical'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent run" log-format' -l 'log-format' -d 'text or json. Log lines go to standard error.' -rfka 'text json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent run" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent run" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" format' -l 'format' -d 'table, json, ndjson, junit, markdown, github or nagios. Default: table on a terminal, ndjson otherwise.' -rfka 'table json ndjson junit markdown github nagios'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" color' -l 'color' -d 'auto, always or never. auto: on a terminal that is not dumb, unless NO_COLOR is set; CLICOLOR_FORCE makes it always.' -rfka 'auto always never'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" no-color' -l 'no-color' -d 'The same as --color never.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" explain' -l 'explain' -d 'Show where the time went, every hop, the certificate chain and every assertion.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" trace' -l 'trace' -d 'After a failure that the route may explain, trace the route to the target: up to 15 s more. With a table it implies --explain.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" post' -l 'post' -d 'Also deliver the results: through the running agent, else directly with three tries.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" count' -l 'count' -d 'Number of rounds; more than one adds min, p50, p95, p99, max, standard deviation, loss and jitter.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" warm-up' -l 'warm-up' -d 'Rounds before the first that counts: neither printed nor delivered.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" every' -l 'every' -d 'Interval from the start of one round to the next, such as 500ms.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once"' -l 'tag' -d 'Only checks of the configuration with this tag, also among those named. May be repeated.' -rfka '(__quartz-agent_custom_completion ---completion once -- --tag (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" export' -l 'export' -d 'Also write all results to a file; its end is the format: .json, .ndjson, .csv, .md or .xml (JUnit).' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" with' -l 'with' -d 'Keys of a check for the targets, as in the file: \'timeout: 5s, expect: {status: 204}\'. Secrets as ${env:NAME} or ${file:path}.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once"' -s 'H' -l 'header' -d 'A request header, \'Name: value\'; never shown. Secrets as ${env:NAME} or ${file:path}. May be repeated.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" X request' -s 'X' -l 'request' -d 'The request\'s method. Default: GET, with -d POST.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once"' -s 'd' -l 'data' -d 'The request\'s body, a form unless -H \'Content-Type: …\' says what it is; @file sends the file as it is. More than one are joined by &.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" insecure k' -s 'k' -l 'insecure' -d 'Note a bad certificate, but do not fail for it.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" timeout' -l 'timeout' -d 'Of a whole attempt, such as 5s. Default: 10s.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" retries' -l 'retries' -d 'Attempts after the first that failed. Default: 0.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" servers' -l 'servers' -d 'Also ask these name servers for each dns target, such as 1.1.1.1,9.9.9.9, and compare the answers.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent once" -ge 1' -fka '(__quartz-agent_custom_completion ---completion once -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent once" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent validate" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent validate" print' -l 'print' -d 'Print the effective configuration, with defaults filled in and secrets redacted.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent validate" explain' -l 'explain' -d 'Show the source of a check\'s value: file, line and which of template, group or defaults; without a key, of all values.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent validate" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent validate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent init" o output' -s 'o' -l 'output' -d 'The file to write; - is standard output. Default: agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent init" interval' -l 'interval' -d 'Interval of the checks, such as 30s.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent init" listen' -l 'listen' -d 'Listen address of the status page, such as 127.0.0.1:9797.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent init" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent init" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent test" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent test" format' -l 'format' -d 'text or junit. Default: text.' -rfka 'text junit'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent test" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent test" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" format' -l 'format' -d 'table, or json with everything. Default: table.' -rfka 'table json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" watch' -l 'watch' -d 'Update it every 2 s, until q or Ctrl-C, also while the agent restarts. Keys sort, filter and find; the last line names them.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status"' -l 'state' -d 'Only checks in this state: up, degraded, down, unknown, pending, stale, maintenance, off. May be repeated.' -rfka 'up degraded down unknown pending stale maintenance off'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status"' -l 'tag' -d 'Only checks with this tag. May be repeated.' -rfka '(__quartz-agent_custom_completion ---completion status -- --tag (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" sort' -l 'sort' -d 'Sort by name; or by state, latency or uptime, the worst first. Default: as configured.' -rfka 'name state latency uptime'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" color' -l 'color' -d 'auto, always or never. auto: on a terminal that is not dumb, unless NO_COLOR is set; CLICOLOR_FORCE makes it always.' -rfka 'auto always never'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" no-color' -l 'no-color' -d 'The same as --color never.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent spool" -eq 1' -fa 'ls' -d 'Show stored, waiting and lost results.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent spool" -eq 1' -fa 'export' -d 'Print every stored result as NDJSON, oldest first.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent spool" -eq 1' -fa 'quarantine' -d 'Results that the receiver refused.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent spool" -eq 1' -fa 'check' -d 'Read every stored record again and judge its checksum. Changes nothing.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool ls" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool ls" state-dir' -l 'state-dir' -d 'The state directory, when there is no configuration to name it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool ls" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool ls" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool export" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool export" state-dir' -l 'state-dir' -d 'The state directory, when there is no configuration to name it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool export" waiting' -l 'waiting' -d 'Only results that are still to be delivered.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool export" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent spool quarantine" -eq 1' -fa 'ls' -d 'Print them with the receiver\'s code, as NDJSON, oldest first.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent spool quarantine" -eq 1' -fa 'resubmit' -d 'Send all of them again, with the same ids, once the receiver is mended.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine ls" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine ls" state-dir' -l 'state-dir' -d 'The state directory, when there is no configuration to name it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine ls" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine ls" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine resubmit" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine resubmit" state-dir' -l 'state-dir' -d 'The state directory, when there is no configuration to name it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine resubmit" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool quarantine resubmit" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool check" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool check" state-dir' -l 'state-dir' -d 'The state directory, when there is no configuration to name it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool check" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent spool check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent doctor" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent doctor" format' -l 'format' -d 'table or json. Default: table.' -rfka 'table json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent doctor" color' -l 'color' -d 'auto, always or never. auto: on a terminal that is not dumb, unless NO_COLOR is set; CLICOLOR_FORCE makes it always.' -rfka 'auto always never'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent doctor" no-color' -l 'no-color' -d 'The same as --color never.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent doctor" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent doctor" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent schema" markdown' -l 'markdown' -d 'Print the tables of keys in Markdown instead, as the documentation has them.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent schema" cases' -l 'cases' -d 'The schema of files for quartz-agent test.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent schema" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent schema" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" o output' -l 'output' -s 'o' -d 'Write here instead of standard output.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" report' -l 'report' -d 'Write the report of settings that were not carried over here.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" force' -l 'force' -d 'Replace the output and the report where they exist.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" diff' -l 'diff' -d 'Compare verdicts with the blackbox_exporter there.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" for' -l 'for' -d 'How long to compare, such as 10m.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" method' -l 'method' -d 'tcp, udp or icmp. Default: tcp where there is a port.' -rfka 'tcp udp icmp'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" port' -l 'port' -d 'Another port than the target\'s.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" 4 ipv4' -s '4' -l 'ipv4' -d 'IPv4 only.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" 6 ipv6' -s '6' -l 'ipv6' -d 'IPv6 only.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" max-ttl' -l 'max-ttl' -d 'The last TTL that is tried, 1 to 64.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" count' -l 'count' -d 'Packets for each TTL and flow, 1 to 100. Default: 3; of a live table 100.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" flows' -l 'flows' -d 'Flows at once, each with ports of its own that never change, 1 to 8.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" wait' -l 'wait' -d 'Timeout of one answer.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" n numeric' -s 'n' -l 'numeric' -d 'Do not look up names of routers.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" networks' -l 'networks' -d 'File of networks: lines of \'prefix,AS number,name\', tabs also separate.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" report' -l 'report' -d 'Show the table once, when it is complete. Default without a terminal.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" format' -l 'format' -d 'table or json. Default: table.' -rfka 'table json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" color' -l 'color' -d 'auto, always or never. auto: on a terminal that is not dumb, unless NO_COLOR is set; CLICOLOR_FORCE makes it always.' -rfka 'auto always never'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" no-color' -l 'no-color' -d 'The same as --color never.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent trace" -eq 1' -fka '(__quartz-agent_custom_completion ---completion trace -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent trace" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" format' -l 'format' -d 'table or json. Default: table.' -rfka 'table json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" check' -l 'check' -d 'Only this check, by its name.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" by-place' -l 'by-place' -d 'Compare the regions of a group, by the running agent\'s windows.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" period' -l 'period' -d 'With --by-place: 24h, 7d, 30d or 90d. Default: 24h.' -rfka '24h 7d 30d 90d'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" fail-slower' -l 'fail-slower' -d 'Exit with 1 where B\'s response time is slower by this share of A\'s or more, beyond chance, such as 10%.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" color' -l 'color' -d 'auto, always or never. auto: on a terminal that is not dumb, unless NO_COLOR is set; CLICOLOR_FORCE makes it always.' -rfka 'auto always never'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" no-color' -l 'no-color' -d 'The same as --color never.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent compare" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent group" checks' -l 'checks' -d 'Also list the owner of each check.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent group" format' -l 'format' -d 'table, or json. Default: table.' -rfka 'table json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent group" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent group" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent group" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent group" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent incidents" all' -l 'all' -d 'Show resolved incidents, too.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent incidents" format' -l 'format' -d 'table, or json. Default: table.' -rfka 'table json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent incidents" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent incidents" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent incidents" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent incidents" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent ack" by' -l 'by' -d 'Name of the operator, for the record. Default: the name of the login.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent ack" why' -l 'why' -d 'Reason, for the record.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent ack" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent ack" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent ack" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent ack" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent mute" -eq 1' -fka '(__quartz-agent_custom_completion ---completion mute -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent mute" by' -l 'by' -d 'Name of the operator, for the record. Default: the name of the login.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent mute" why' -l 'why' -d 'Reason, for the record.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent mute" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent mute" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent mute" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent mute" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent unmute" -eq 1' -fka '(__quartz-agent_custom_completion ---completion unmute -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent unmute" by' -l 'by' -d 'Name of the operator, for the record. Default: the name of the login.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent unmute" why' -l 'why' -d 'Reason, for the record.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent unmute" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent unmute" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent unmute" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent unmute" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent maintenance" -eq 1' -fa 'start' -d 'Start a window now.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent maintenance" -eq 1' -fa 'end' -d 'End a window early.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent maintenance" -eq 1' -fa 'list' -d 'Show active and coming windows, and mutes.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent maintenance start" -eq 1' -fka '(__quartz-agent_custom_completion ---completion maintenance start -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" skip' -l 'skip' -d 'Do not probe during the window.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" by' -l 'by' -d 'Name of the operator, for the record. Default: the name of the login.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" why' -l 'why' -d 'Reason, for the record.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance start" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent maintenance end" -eq 1' -fka '(__quartz-agent_custom_completion ---completion maintenance end -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance end" by' -l 'by' -d 'Name of the operator, for the record. Default: the name of the login.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance end" why' -l 'why' -d 'Reason, for the record.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance end" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance end" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance end" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance end" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance list" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance list" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance list" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent maintenance list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent post" -eq 1' -fa 'write' -d 'Begin a post, add an update, or correct one. The default.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent post" -eq 1' -fa 'list' -d 'Show the posts, the newest first.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent post" -eq 1' -fa 'delete' -d 'Delete a post that was a mistake. One that is over is ended by --state resolved.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" state' -l 'state' -d 'investigating, identified, monitoring or resolved. Default: investigating, or as before.' -rfka 'investigating identified monitoring resolved'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" for' -l 'for' -d 'Name or id of a check, tag: and a tag, or all. Default: all.' -rfka '(__quartz-agent_custom_completion ---completion post write -- --for (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" text' -l 'text' -d 'First update of a new post, at most 1000 bytes.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" update' -l 'update' -d 'Add an update to this post: its id or its title.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" edit' -l 'edit' -d 'Correct the words of the latest update of this post.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" title' -l 'title' -d 'With --edit: another title.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" by' -l 'by' -d 'Name of the operator, for the record. Default: the name of the login.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post write" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post list" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post list" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post list" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post delete" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post delete" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post delete" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent post delete" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" month' -l 'month' -d 'A year and a month, such as 2026-10, or last. Default: the running month, so far.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" format' -l 'format' -d 'table, html, csv or json. html is one file, which prints each group on a page. Default: table.' -rfka 'table html csv json'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" objective' -l 'objective' -d 'Objective in percent of checks without an alerting rule of type burn_rate. Default: 99.9.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report"' -l 'tag' -d 'Only checks with this tag. May be repeated.' -rfka '(__quartz-agent_custom_completion ---completion report -- --tag (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent report" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent alert" -eq 1' -fa 'test' -d 'Send a test notification by a channel of the configuration, or by all.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent alert" -eq 1' -fa 'explain' -d 'Show for each open incident what each channel was sent, what is pending, and what holds it.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent alert test" -ge 1' -fka '(__quartz-agent_custom_completion ---completion alert test -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert test" kind' -l 'kind' -d 'test, opened, updated, resolved or digest. Default: test.' -rfka 'test opened updated resolved digest'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert test" print' -l 'print' -d 'Print the notification, and send nothing.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert test" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert test" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert test" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent alert explain" -eq 1' -fka '(__quartz-agent_custom_completion ---completion alert explain -- positional@0 (count (__quartz-agent_tokens -pc)) (__quartz-agent_tokens -tC))'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert explain" c config' -s 'c' -l 'config' -d 'The configuration file. Default: agent.yaml here, else /etc/quartz-agent/agent.yaml.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert explain" socket' -l 'socket' -d 'The agent\'s socket, or its address:port, when no configuration names it.' -rfka ''
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert explain" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent alert explain" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_positional "quartz-agent completions" -eq 1' -fka 'bash zsh fish'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent completions" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent completions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent man" version' -l 'version' -d 'Show the version.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent man" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'quartz-agent' -n '__quartz-agent_should_offer_completions_for_flags_or_options "quartz-agent help" version' -l 'version' -d 'Show the version.'
