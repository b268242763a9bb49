// SPDX-License-Identifier: MIT

import Monitoring

// status.run_now_token
extension SettingsBuilder {
  mutating func runNowToken() -> Redacted? {
    let map = root.map("status")
    guard let token = map.text("run_now_token") else { return nil }
    let position = map.position(of: ["run_now_token"])
    if token.utf8.count < 10 {
      walk.problem(
        position, "status.run_now_token must be at least 10 characters, found \(token.utf8.count)",
        hint: "such as what openssl rand -hex 16 prints")
    } else if !token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
      walk.problem(
        position, "status.run_now_token may hold printable ASCII only: it travels in a header")
    }
    return Redacted(token)
  }
}
