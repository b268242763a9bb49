// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Monitoring

/// WWW-Authenticate lines: challenges (RFC 9110 section 11.6.1), the digest's answer (RFC 7616) and the text of a
/// server in which a secret is looked for behind its escapes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  for line in lines.prefix(3) { precondition(AuthChallenge.parse(line).count <= 17) }
  // The length chooses whether a sound challenge stands before each, and how often was answered.
  let times = [0, 1, UInt32.max][count % 3]
  answer(count & 1 == 0 ? lines : lines.map { "Digest realm=\"a\", nonce=\"b\", " + $0 }, times: times)
  // At most every other byte is a run of its own, and what stands in its place is the mark. A byte that is no UTF-8 is
  // shown as three.
  let shown = secrets.hide(text)
  precondition(shown.utf8.count <= text.utf8.count * (Redacted.mark.utf8.count + 3) + 64)
  return 0
}

private let secrets = SecretWords(["secret", "s"])

private func answer(_ lines: [String], times: UInt32) {
  guard let digest = DigestAnswer.strongest(of: lines) else { return }
  let request = DigestAnswer.Request(method: "GET", uri: "/", username: "u\"", password: "p")
  let header = digest.header(request, count: times, clientNonce: "c")
  precondition(header.hasPrefix("Digest ") && header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
}
