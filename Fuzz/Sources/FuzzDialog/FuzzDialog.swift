// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Monitoring

/// The matcher of dialogs, by its own steps and by every preset's reader. The first byte chooses the dialog, the second
/// how the stream is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let presets = DialogPreset.allCases
  let choice = Int(bytes[0]) % (presets.count * 2 + dialogs.count)
  fuzzConversation({ conversation(choice, presets) }, bytes.dropFirst(2), pieces: bytes[1])
  return 0
}

private func conversation(_ choice: Int, _ presets: [DialogPreset]) -> DialogConversation {
  if choice < dialogs.count { return DialogConversation(SpokenDialog(dialogs[choice].map(SpokenStep.init))) }
  let preset = presets[(choice - dialogs.count) % presets.count]
  // Its CONNECT has a name of its own each time; only what is read matters.
  var dialog = SpokenDialog(preset, afterStartTLS: choice - dialogs.count >= presets.count ? .smtp : nil)
  if preset == .mqtt { dialog.steps[0].say = nil }
  return DialogConversation(dialog)
}

private let dialogs: [[DialogStep]] = [
  [
    .expect(.pattern(#"^220[ -](?<host>\S+) ?(\w*)"#)), .send(Redacted(#"HELO \(host) \(2)\r\n"#)),
    .expect(.literal(#"250 \(host)"#)),
  ],
  [.expect(.pattern(#"(a+)(?=b)|b$|c\b"#)), .expectHex([0, 255]), .expect(.pattern(#"^\s*(\d+)\s*$"#))],
  [.expect(.literal("aab")), .expect(.literal("ab")), .expect(.pattern("[^x]*x"))],
]
