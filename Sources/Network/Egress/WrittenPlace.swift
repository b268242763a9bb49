// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension AddressClass {
  /// The class of a host by the way it is written, without a lookup: an address by its class, a name by the registries'
  /// names for private networks. Any other name counts as public.
  ///
  /// Sources: RFC 6761 (localhost), RFC 6762 and its appendix G, RFC 8375 (home.arpa), ICANN's reservation of
  /// `.internal`, and the names under which clouds serve their metadata.
  package init(writtenAs host: String) {
    if let address = IPAddress(host) {
      self = address.effectiveClass
      return
    }
    let labels = host.lowercased().utf8.split(separator: UInt8(ascii: ".")).map {
      String(decoding: $0, as: UTF8.self)
    }
    let name = labels.joined(separator: ".")
    if labels.last == "localhost" || name == "localhost.localdomain" {
      self = .loopback
    } else if Self.metadataNames.contains(ByteText(name)) {
      self = .metadata
    } else if labels.count < 2 || Self.ownDomains.contains(ByteText(labels[labels.count - 1]))
      || name == "home.arpa"
      || name.hasSuffix(".home.arpa")
    {
      self = .private
    } else {
      self = .public
    }
  }

  private static let metadataNames: Set<ByteText> = [
    "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal",
  ]

  private static let ownDomains: Set<ByteText> = [
    "local", "internal", "intranet", "private", "corp", "home", "lan", "localdomain",
  ]
}
