// SPDX-License-Identifier: MIT

import Basics

extension Codec<String> {
  /// A URL that people are shown, so it must not hold a login.
  package static var link: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      guard let url = try? HTTPURL(text), url.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else {
        reader.problem(
          place.position,
          "\(place.key) must be an http or https URL without login, query and fragment, "
            + "found \(typed.found(text))",
          hint: "such as https://status.example/")
        return nil
      }
      return text
    }
  }
}

extension Codec<String> {
  /// URL of a page for people, perhaps with a query and a section, and without a login.
  package static var runbook: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      guard (try? HTTPURL(text)) != nil else {
        reader.problem(
          place.position, "runbook must be an http or https URL without login, found \(typed.found(text))",
          hint: "such as https://wiki.example/shop#disk-full")
        return nil
      }
      return text
    }
  }
}
