// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension GroupSettings: KeyedSettings {
  package static let keys: [Key<GroupSettings>] = [
    Key(
      \.name, "name", .groupName,
      "Name of the group: letters, digits, dots, dashes and underscores, and not `v`; part of its keys, its results' ids and its "
        + "checks' phase",
      required: "such as name: london"),
    Key(section: \.store, "store", "The etcd that the members share"),
    Key(
      \.ttl, "ttl", .duration(SettingLimits.groupTTL),
      "Silence after which a member counts as dead and others take its checks"),
    Key(
      \.weight, "weight", .automatic(SettingLimits.groupWeight),
      "Share of the checks against the other members'; auto: the number of processors, at most 4"),
    Key(\.prefix, "prefix", .keyPrefix, "Prefix of all keys in the store"),
    Key(
      \.share, "share", .flag,
      "Divide the checks of this file, too, which must then be the same in all members; those of the API and those with "
        + "`confirm` always are"
    ),
    Key(
      \.url, "url", .member,
      "Base URL of this agent's status server for the other members, to add up the windows of all",
      default: "none"),
    Key(
      \.token, "token", .token,
      "Token for reading these windows, and nothing else; the same in all members",
      default: "none"),
  ]
}

extension GroupStoreSettings: KeyedSettings {
  package static let keys: [Key<GroupStoreSettings>] = [
    Key(
      \.etcd, "etcd",
      .list(
        .base(example: "https://etcd-1.example:2379", sent: "the password and the group's checks")),
      "Bases of etcd's client listeners, tried in turn; https, or http to loopback", default: "required"),
    Key(\.user, "user", .text, "Etcd's user, where it has authentication"),
    Key(\.password, "password", .sentSecret, "Its password", default: "required with user"),
    Key(section: \.tls, "tls", "Certificates of https", shown: { $0.tls != GroupStoreTLS() }),
  ]
}

extension GroupStoreTLS: KeyedSettings {
  package static let keys: [Key<GroupStoreTLS>] = [
    Key(
      \.caFile, "ca_file", .wholeFile, "PEM file of trusted certificates instead of the system's",
      default: "the system's"),
    Key(
      \.clientCertificate, "client_certificate", .wholeFile, "PEM file of the certificate shown to etcd",
      default: "none"),
    Key(
      \.clientKey, "client_key", .wholeFile, "PEM file of its key",
      default: "in the certificate's file"),
  ]
}

extension Codec<String> {
  /// A part of keys and of no path: nothing that needs quoting anywhere.
  fileprivate static var groupName: Codec {
    text { text, place, reader in
      let isPlain = text.utf8.allSatisfy { isASCIIAlphanumeric($0) || ".-_".utf8.contains($0) }
      guard text != "v" else {
        return reader.problem(
          place.position, "\(place.key) must not be v: what the places say of their checks lies below it",
          hint: "such as london")
      }
      guard !isPlain || !(1...64).contains(text.utf8.count) else { return }
      reader.problem(
        place.position,
        "\(place.key) must be 1 to 64 letters, digits, dots, dashes and underscores, found \(quoted(text))",
        hint: "such as london")
    }
  }

  fileprivate static var keyPrefix: Codec {
    text { text, place, reader in
      let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
      guard !isPlain || !text.hasPrefix("/") || !text.hasSuffix("/") || text.utf8.count > 100 else { return }
      reader.problem(
        place.position, "\(place.key) must begin and end with a slash, without blanks, at most 100 bytes",
        hint: "such as /quartz/")
    }
  }
}

extension Codec<HTTPURL> {
  /// Also plain http: status servers of one network, and what is shown to them reads windows and nothing else.
  fileprivate static var member: Codec {
    Codec(.text, isQuoted: true, text: \.text) { typed, place, reader in
      guard let text = typed.text else { return nil }
      do throws(HTTPURL.Invalid) {
        let url = try HTTPURL(text)
        if url.query == nil, !text.contains("#"), text.utf8.count <= 200 { return url }
        reader.problem(
          place.position, "\(place.key) must have no query and no fragment, and at most 200 bytes")
      } catch {
        reader.problem(
          place.position, "\(place.key) \(error.message)", hint: "such as http://agent-1.internal:9797")
      }
      return nil
    }.printed { url, name, printer in printer.url(name, url) }
  }
}
