/* SPDX-License-Identifier: MIT */

/*
 * PCRE2 with 8-bit code units for Swift: the header, whose names are macros until a width is chosen, and nothing else.
 *
 * Ownership
 *   - pcre2_compile_8, pcre2_match_data_create_from_pattern_8 and pcre2_match_context_create_8 give; each has its own
 *     _free_8. A compiled pattern is never written to by a match and may serve several threads; match data and match
 *     contexts belong to one thread at a time.
 *   - pcre2_get_ovector_pointer_8 lends: valid as long as the match data.
 *
 * Errors
 *   - Compiling gives a number and an offset, matching a negative number; pcre2_get_error_message_8 has the words.
 *     errno is not used.
 */
#ifndef QUARTZ_CPCRE2_SHIM_H
#define QUARTZ_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
