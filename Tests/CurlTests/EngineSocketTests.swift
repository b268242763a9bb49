// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Testing

@testable import Curl

/// Whose descriptor an event is about, when numbers of descriptors come again.
@Suite(.timeLimit(.minutes(1))) struct EngineSocketTests {
  private static func key(_ descriptor: UInt64, _ use: UInt64) -> UInt64 { descriptor << 24 | use }

  private static func words(_ place: (descriptor: Int32, owner: UInt64)?) -> String {
    place.map { "\($0.descriptor) of \($0.owner)" } ?? "none"
  }

  @Test func aPlaceHasItsUse() async throws {
    let found = try await onLoop { loop -> [String] in
      let sockets = EngineSockets(on: loop)
      var found: [String] = []
      func note(_ keys: (UInt64, UInt64)...) {
        let places = keys.map { Self.words(sockets.place(of: Self.key($0.0, $0.1))) }
        found.append("\(sockets.watched): " + places.joined(separator: ", "))
      }
      note((900, 0), (900, 1))
      sockets.look(CURL_POLL_IN, on: 900, for: 7)
      sockets.look(CURL_POLL_OUT, on: 901, for: 8)
      note((900, 1), (901, 2), (900, 2), (901, 1), (902, 1), (899, 0))
      // Another owner has the same place.
      sockets.look(CURL_POLL_IN, on: 900, for: 9)
      note((900, 1))
      // It is let go of with the end of the turn, unless it is wanted again by then.
      sockets.look(CURL_POLL_REMOVE, on: 900, for: 9)
      sockets.look(CURL_POLL_REMOVE, on: 901, for: 8)
      sockets.look(CURL_POLL_IN, on: 901, for: 8)
      note((900, 1), (901, 2))
      sockets.settle()
      note((900, 1), (901, 2))
      sockets.look(CURL_POLL_INOUT, on: 900, for: 4)
      note((900, 1), (900, 3))
      sockets.closing(901)
      note((901, 2), (900, 3))
      sockets.closing(901)
      sockets.look(CURL_POLL_REMOVE, on: 901, for: 8)
      sockets.closing(900)
      sockets.settle()
      note((900, 3), (901, 2))
      return found
    }
    #expect(
      found == [
        "0: none, none", "2: 900 of 7, 901 of 8, none, none, none, none", "2: 900 of 9",
        "2: 900 of 9, 901 of 8",
        "1: none, 901 of 8", "2: none, 900 of 4", "1: none, 900 of 4", "0: none, none",
      ])
  }

  /// The processor time that decoding may take grows with the codings and with what they may come from.
  @Test func timeOfADecoding() throws {
    func allowance(_ names: String, _ limit: Int) throws -> Int64 {
      DecodingQueue.allowance(try #require(ContentCodings([names])), limit: limit)
    }
    #expect(try allowance("identity", 0) == 250_000_000)
    #expect(try allowance("gzip", 0) == 528_528_000 && allowance("gzip, br", 0) == 807_056_000)
    #expect(try allowance("gzip", 1 << 21) == 250_000_000 + 250 * (2_097_152 + 65_536))
  }

  @Test func linesOfAMailReply() {
    #expect(
      MailReply(250).line == "250" && MailReply(550, "no").line == "550 no"
        && MailReply(550, "no").code == 550)
    let secrets = KnownSecrets(["hush"])
    func line(_ text: String) -> String { MailReply(535, Array(text.utf8), secrets).line }
    #expect(line("") == "535" && line("no such user") == "535 no such user")
    #expect(line("say hush") == "535, and a text that repeats a secret of the channel")
    #expect(line(String(repeating: "x", count: 196)).utf8.count == 200)
    #expect(line(String(repeating: "x", count: 197)) == "535 " + String(repeating: "x", count: 193) + "…")
  }
}
