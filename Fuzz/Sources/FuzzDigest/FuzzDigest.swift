// SPDX-License-Identifier: MIT

import Monitoring

/// WWW-Authenticate lines: challenges (RFC 9110 section 11.6.1), the digest's answer (RFC 7616) and the text of a
/// server in which a secret is looked for behind its escapes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  for line in lines.prefix(3) { precondition(AuthChallenge.parse(line).count <= 17) }
  answer(lines)
  answer(lines.map { "Digest realm=\"a\", nonce=\"b\", " + $0 })
  // At most every other byte is a run of its own, and what stands in its place is the mark. A byte that is no UTF-8 is
  // shown as three.
  let shown = SecretWords(["secret", "s"]).hide(text)
  precondition(shown.utf8.count <= text.utf8.count * (Redacted.mark.utf8.count + 3) + 64)
  return 0
}

private func answer(_ lines: [String]) {
  guard let digest = DigestAnswer.strongest(of: lines) else { return }
  let request = DigestAnswer.Request(method: "GET", uri: "/", username: "u\"", password: "p")
  for count in [0, 1, .max] as [UInt32] {
    let header = digest.header(request, count: count, clientNonce: "c")
    precondition(header.hasPrefix("Digest ") && header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
  }
}
