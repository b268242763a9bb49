// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A channel as it was before other settings: of this process, or of an earlier run, of which only the receiver is known.
struct FormerChannel: Sendable {
  var name: String
  /// `nil` where the state on disk does not say it: then it is what it was.
  var receiver: AlertChannel.Receiver?
  /// `nil`: its secrets were of an earlier run.
  var channel: AlertChannel?

  init(_ channel: AlertChannel) {
    (name, receiver, self.channel) = (channel.name, channel.receiver, channel)
  }

  /// As it is kept on disk.
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, name.utf8.count <= 100 else { return nil }
    self.name = name
    guard let digest = json["receiver"]?.string else { return }
    let recipients = (json["recipients"]?.array ?? []).prefix(50).compactMap(\.string)
    receiver = AlertChannel.Receiver(
      digest: digest.printable(maxBytes: 64), target: (json["target"]?.string ?? "").printable(maxBytes: 256),
      recipients: recipients.filter(Self.isAddress))
  }

  /// Nothing that could end a line or an address of a mail.
  private static func isAddress(_ text: String) -> Bool {
    text.utf8.count <= 320 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x3c && $0 != 0x3e }
  }

  /// Channels of a state on disk that are read.
  static let most = 100

  func isSame(as channel: AlertChannel) -> Bool { receiver?.isSame(as: channel.receiver) ?? true }
}

/// Changes of the notification log when channels are configured in another way: its entries follow the receiver.
///
/// A receiver with another channel name keeps its entries. One that no channel leads to any more is sent the end, under a name
/// of its own, so that the new receiver of its old name begins with nothing.
struct ChannelMoves: Sendable {
  struct Retired: Sendable {
    var former: FormerChannel
    /// Name in the notification log from now on.
    var name: String
    /// The channel that sends the end; `nil` where that cannot be sent.
    var channel: AlertChannel?
    /// Some recipients of a mail stay: they keep what they were sent.
    var isPart = false
    /// A channel that leads to the same receiver: an end by this one would be an end of what that one goes on with.
    var twin: String?
  }

  /// New names by old ones.
  private(set) var renames: [String: String] = [:]  // own text: channels
  private(set) var retired: [Retired] = []

  var isEmpty: Bool { renames.isEmpty && retired.isEmpty }

  /// Names under which another channel begins, or none goes on.
  var left: Set<String> {  // own text: channels
    Set(renames.keys).union(retired.lazy.filter { !$0.isPart }.map(\.former.name))
  }

  /// - Parameters:
  ///   - before: channels of before, and those that still have an end to send.
  ///   - taken: names that the notification log has.
  init(_ before: [FormerChannel], to settings: AlertSettings, taken: Set<String>) {  // own text: channels
    var names = taken.union(settings.channels.map(\.name))
    var arrived = settings.channels.filter { channel in
      !before.contains { $0.name == channel.name && $0.isSame(as: channel) }
    }
    for former in before {
      let namesake = settings.channels.first { $0.name == former.name }
      if let namesake, former.isSame(as: namesake) {
        guard let lost = Self.lost(former, namesake) else { continue }
        let name = Self.free(former.name, &names)
        retired.append(
          Retired(former: former, name: name, channel: Self.ending(name, lost, by: namesake), isPart: true))
      } else if let receiver = former.receiver,
        let place = arrived.firstIndex(where: { $0.receiver.digest == receiver.digest })
      {
        renames[former.name] = arrived.remove(at: place).name
      } else {
        var channel =
          former.channel ?? Self.ending(former.name, former.receiver?.recipients ?? [], by: namesake)
        // The name stays while the end is being sent, unless another channel has it.
        let isKept = namesake == nil && (channel != nil || Self.isFormer(former.name))
        let name = isKept ? former.name : Self.free(former.name, &names)
        channel?.name = name
        let twin = settings.channels.first { $0.receiver.digest == former.receiver?.digest }?.name
        retired.append(Retired(former: former, name: name, channel: channel, twin: twin))
      }
    }
  }

  /// Recipients of a mail that it does not go to any more; `nil` where there are none.
  private static func lost(_ former: FormerChannel, _ channel: AlertChannel) -> [String]? {
    let staying = Set(channel.receiver.recipients)
    let lost = (former.receiver?.recipients ?? []).filter { !staying.contains($0) }
    return lost.isEmpty ? nil : lost
  }

  /// The mail to former recipients goes by the server of the mail channel of that name.
  private static func ending(
    _ name: String, _ recipients: [String], by channel: AlertChannel?
  ) -> AlertChannel? {
    guard !recipients.isEmpty, var ending = channel, case .mail(var mail) = ending.kind else { return nil }
    mail.recipients = recipients
    (ending.name, ending.kind) = (name, .mail(mail))
    return ending
  }

  private static func isFormer(_ name: String) -> Bool { name.contains(" (former") }

  /// Name of a channel whose end is given up, so that another channel may have its name.
  static func formerName(_ name: String, taken: Set<String>) -> String {  // own text: channels
    var names = taken
    return isFormer(name) ? name : free(name, &names)
  }

  /// A name that no channel has, such as `ops (former)`.
  private static func free(_ name: String, _ names: inout Set<String>) -> String {  // own text: channels
    var number = 1
    while true {
      let candidate = number == 1 ? "\(name) (former)" : "\(name) (former \(number))"
      if names.insert(candidate).inserted { return candidate }
      number += 1  // bounded: names in memory
    }
  }
}

extension AlertChannel {
  func isSame(as other: AlertChannel) -> Bool { receiver.isSame(as: other.receiver) }
}
