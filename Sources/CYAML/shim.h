/* SPDX-License-Identifier: MIT */

/*
 * libyaml for Swift: the header and nothing else.
 *
 * Ownership
 *   - yaml_parser_initialize fills the caller's structure, yaml_parser_delete frees what it holds.
 *   - yaml_parser_set_input_string lends: the text must live, at the same place, as long as the parser.
 *   - yaml_parser_parse and yaml_parser_scan give; yaml_event_delete and yaml_token_delete free. A parser is used with
 *     one of the two, never with both.
 *
 * Errors
 *   - Each call gives 1 for success and 0 for failure; the parser's `error`, `problem`, `problem_mark` and
 *     `problem_offset` then say what and where. `problem` and `context` are constant texts. errno is not used.
 *   - Marks count from 0; `index` and `column` count characters and not bytes.
 */
#ifndef QUARTZ_CYAML_SHIM_H
#define QUARTZ_CYAML_SHIM_H

#include <yaml.h>

#endif
