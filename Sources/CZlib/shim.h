/* SPDX-License-Identifier: MIT */

/*
 * zlib for Swift: the header and nothing else.
 *
 * Ownership
 *   - deflateInit2_ fills the caller's structure, deflateEnd frees what it holds.
 *   - next_in and next_out lend: both must live, at the same place, for the length of a call.
 *
 * Errors
 *   - Calls give Z_OK or Z_STREAM_END for success and a negative number for failure. errno is not used.
 */
#ifndef QUARTZ_CZLIB_SHIM_H
#define QUARTZ_CZLIB_SHIM_H

#include <zlib.h>

#endif
