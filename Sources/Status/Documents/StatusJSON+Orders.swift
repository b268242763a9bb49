// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

extension StatusSnapshot {
  /// Mutes of one of these targets.
  package func mutes(of targets: [OperatorTarget]) -> [UniqueID] {
    let names = Set(targets.map { ByteText($0.text) })
    return mutes.filter { names.contains(ByteText($0.target.text)) }.map(\.id)
  }
}

extension HandBook.Order {
  /// As the API shows it.
  package func writeStatus(to json: inout JSONWriter) {
    json.object { json in writeFields(to: &json) }
  }
}
