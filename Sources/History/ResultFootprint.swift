// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension CheckResult {
  /// Bytes that keeping it takes, the presented chain aside: an upper estimate of what the allocator gives out.
  var footprint: Int {
    var bytes = MemoryLayout<CheckResult>.size + 48
    for text in [check, target, message, facts.httpVersion, facts.excerpt] {
      bytes += heapBytes(text)
    }
    bytes += heapBytes(facts.tls?.version) + heapBytes(facts.tls?.cipher) + heapBytes(facts.tls?.verifyError)
    bytes += heapBytes(facts.dns?.rcode) + heapBytes(facts.dns?.transport)
    bytes += heapBytes(facts.dns?.answers) { heapBytes($0.name) + heapBytes($0.type) + heapBytes($0.data) }
    bytes += heapBytes(facts.dns?.errors) { heapBytes($0) }
    bytes += heapBytes(facts.hops) { heapBytes($0.url) + heapBytes($0.address) }
    bytes += heapBytes(facts.dialog) { heapBytes($0.what) + heapBytes($0.seen) }
    bytes += heapBytes(facts.assertions) {
      heapBytes($0.what) + heapBytes($0.expected) + heapBytes($0.actual)
    }
    bytes += heapBytes(attempts) { heapBytes($0.dialled) { _ in 64 } }
    bytes += heapBytes(facts.addresses) { _ in 512 }
    return bytes
  }

  /// Bytes of the presented chain.
  var chainFootprint: Int {
    heapBytes(facts.tls?.chain) { certificate in
      heapBytes(certificate.subject) + heapBytes(certificate.issuer) + heapBytes(certificate.serial)
        + heapBytes(certificate.sha256) + heapBytes(certificate.sans) { heapBytes($0) }
    }
  }
}

/// Up to 15 bytes are in the value itself; else a header of 32 and what the allocator rounds up.
private func heapBytes(_ text: String?) -> Int {
  guard let count = text?.utf8.count, count > 15 else { return 0 }
  return (count + 1 + 32 + 8 + 15) / 16 * 16
}

private func heapBytes<Element>(_ list: [Element]?, _ each: (Element) -> Int) -> Int {
  guard let list, !list.isEmpty else { return 0 }
  let own = (list.count * MemoryLayout<Element>.stride + 32 + 8 + 15) / 16 * 16
  return list.reduce(own) { $0 + each($1) }
}
