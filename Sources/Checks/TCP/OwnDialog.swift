// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension SpokenDialog {
  /// The check's own dialog; texts were judged when the check was made, so one that cannot be read never matches.
  init(_ dialog: Dialog?, afterStartTLS: StartTLSProtocol?) {
    switch dialog {
    case nil: self = afterStartTLS.map(Self.parting) ?? .silent
    case .preset(let preset): self.init(preset, afterStartTLS: afterStartTLS)
    case .steps(let steps): self.init(steps.map(SpokenStep.init))
    }
  }
}

extension SpokenStep {
  init(_ step: DialogStep) {
    switch step {
    case .send(let text): self.init("send", say: Self.text(text.reveal()).map(Words.text) ?? .impossible)
    case .sendHex(let bytes): self.init("send_hex", say: .hex(bytes))
    case .expectHex(let bytes): self.init("expect_hex", read: .bytes(bytes))
    case .expect(.literal(let text)):
      let read = Self.text(text).map(Answer.literal)
      self.init("expect \"\(text)\"", say: read == nil ? .impossible : nil, read: read)
    case .expect(.pattern(let text)):
      let read = Self.pattern(text).map(Answer.pattern)
      self.init("expect ~ \(text)", say: read == nil ? .impossible : nil, read: read)
    }
  }

  private static func text(_ text: String) -> DialogText? {
    do throws(DialogText.Invalid) { return try DialogText(parsing: text) } catch { return nil }
  }

  private static func pattern(_ text: String) -> Pattern? {
    do throws(Pattern.Invalid) { return try Pattern(text) } catch { return nil }
  }
}
