// SPDX-License-Identifier: MIT

import Monitoring
import Testing

/// Tags as labels of metrics.
@Suite struct TagLabelTests {
  /// A name is a Prometheus label, and none of ours.
  @Test(
    arguments: [
      ("team", true), ("cost_center2", true), ("_x", true), ("", false), ("2x", false), ("__x", false),
      ("a-b", false), ("é", false), ("check", false), ("le", false), ("instance", false),
      (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
  func aNameIsALabel(name: String, isOne: Bool) {
    #expect((TagLabels.objection(to: name) == nil) == isOne)
  }

  /// The value stands behind the first colon or equals sign; a bare tag is true; values are bounded.
  @Test func theValueStandsBehindTheName() {
    #expect(TagLabels.value(of: "team", tags: ["x", "team:shop"]) == "shop")
    #expect(TagLabels.value(of: "team", tags: ["team=a:b"]) == "a:b")
    #expect(TagLabels.value(of: "prod", tags: ["prod"]) == "true")
    #expect(TagLabels.value(of: "team", tags: ["teams:shop", "team:"]) == nil)
    let long = TagLabels.value(of: "team", tags: ["team:" + String(repeating: "a", count: 100)])
    // 64 bytes, of which the mark of a cut takes three.
    #expect(long == String(repeating: "a", count: 61) + "…")
  }
}
