// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct TLSVersionTests {
  /// Versions are in the order in which they came, and none is before itself.
  @Test func order() {
    let versions = TLSVersion.allCases
    #expect(versions.map(\.rawValue) == ["1.0", "1.1", "1.2", "1.3"])
    for (place, version) in versions.enumerated() {
      #expect(versions.filter { $0 < version } == Array(versions.prefix(place)))
    }
  }
}
