// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// The version of this agent, as `--version`, the User-Agent header and the status page show it.
package let agentVersion = "0.1.0"

/// User agent of http probes and of the API client.
package let userAgent = "quartz-agent/\(agentVersion)"

/// How many descriptors this process may have open.
package func descriptorLimit() -> Int {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
  return Int(clamping: limit.rlim_cur)
}

/// The environment, read without Foundation.
package func processEnvironment() -> [String: String] {
  var variables: [String: String] = [:]
  var entry = environ
  while let pointer = entry.pointee {
    let text = String(cString: pointer)
    if let equals = text.firstIndex(of: "=") {
      variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    entry += 1
  }
  return variables
}
