// SPDX-License-Identifier: MIT

import Basics
import CCurl

/// Whether the routing table has a way to the literal address. Connecting a datagram socket asks it and sends nothing.
package func hasRoute(to literal: String) -> Bool { quartz_curl_has_route(literal) == 1 }
