/* SPDX-License-Identifier: MIT */

/*
 * libidn2 for Swift: the header and nothing else.
 *
 * Ownership
 *   - idn2_to_ascii_8z and idn2_to_unicode_8z8z give a text of their own for IDN2_OK, which idn2_free takes; their
 *     input is read during the call only.
 *
 * Errors
 *   - Each call gives IDN2_OK or a negative number, which idn2_strerror puts into words. errno is not used.
 */
#ifndef QUARTZ_CIDN2_SHIM_H
#define QUARTZ_CIDN2_SHIM_H

#include <idn2.h>

#endif
