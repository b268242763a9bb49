// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Answers to Digest challenges, against the examples of RFC 7616 and RFC 2069.
@Suite struct DigestAnswerTests {
  private static let challenges = [
    """
    Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, \
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    """,
    """
    Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, \
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    """,
  ]

  private static let mufasa = DigestAnswer.Request(
    method: "GET", uri: "/dir/index.html", username: "Mufasa", password: "Circle of Life")

  // RFC 7616, section 3.9.1.
  @Test(arguments: [
    (0, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    (1, "8ca523f5e9506fed4657c9700eebdbec"),
  ])
  func hasTheResponsesOfTheRFC(index: Int, response: String) throws {
    let answer = try #require(DigestAnswer.strongest(of: [Self.challenges[index]]))
    let header = answer.header(
      Self.mufasa, count: 1, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    #expect(header.contains("response=\"\(response)\""))
    #expect(header.contains("nc=00000001") && header.contains("qop=auth,"))
    #expect(header.contains("opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""))
  }

  @Test func theStrongestIsTaken() throws {
    let answer = try #require(DigestAnswer.strongest(of: Array(Self.challenges.reversed())))
    #expect(answer.algorithm == .sha256)
    // All in one header, behind another scheme.
    let one = "Basic realm=\"x\", " + Self.challenges.reversed().joined(separator: ", ")
    #expect(DigestAnswer.strongest(of: [one])?.algorithm == .sha256)
  }

  // RFC 7616, section 3.4.2, computed by another program: the key depends on the server's nonce, then on ours.
  @Test(arguments: [
    (0, "SHA-256", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    (1, "MD5", "e783283f46242139c486a698fec7211d"),
  ])
  func theKeyOfASessionDependsOnBothNonces(index: Int, algorithm: String, response: String) throws {
    let challenge = Self.challenges[index].replacing(
      "algorithm=\(algorithm)", with: "algorithm=\(algorithm)-sess")
    let answer = try #require(DigestAnswer.strongest(of: [challenge]))
    let header = answer.header(
      Self.mufasa, count: 1, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    #expect(header.contains("response=\"\(response)\""))
    #expect(header.contains("algorithm=\(algorithm)-sess"))
  }

  // RFC 2069, section 2.4, as its errata have it.
  @Test func withoutQopTheOldFormIsUsed() throws {
    let challenge =
      "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\""
    let answer = try #require(DigestAnswer.strongest(of: [challenge]))
    let request = DigestAnswer.Request(
      method: "GET", uri: "/dir/index.html", username: "Mufasa", password: "CircleOfLife")
    let header = answer.header(request, count: 1, clientNonce: "x")
    #expect(header.contains("response=\"1949323746fe6a43ef61f9606e7febea\""))
    #expect(!header.contains("nc=") && !header.contains("cnonce"))
  }

  @Test(arguments: [
    "Basic realm=\"x\"", "Digest realm=\"x\"", "Digest nonce=\"x\"",
    "Digest realm=\"x\", nonce=\"y\", algorithm=SHA-512-256",
    "Digest realm=\"x\", nonce=\"y\", qop=\"auth-int\"", "Digest realm=\"x, nonce=y", "", "=,=",
    "Digest realm=\"a\u{1}\", nonce=\"b\"",
  ])
  func whatCannotBeMetIsNoChallenge(text: String) { #expect(DigestAnswer.strongest(of: [text]) == nil) }

  @Test func quotesAndCommasInsideQuotesAreRead() {
    let parsed = AuthChallenge.parse(
      "Digest realm=\"a \\\"b\\\", c\", nonce=n , stale=TRUE,Bearer,Basic realm=x")
    #expect(parsed.map(\.scheme) == ["digest", "bearer", "basic"])
    #expect(parsed.first?.parameters == ["realm": "a \"b\", c", "nonce": "n", "stale": "TRUE"])
  }

  /// RFC 9110 section 11.2: what stands behind Negotiate is no parameter, and what comes after it is still read.
  @Test(arguments: [
    "Negotiate YII+/~._-A==, Digest realm=\"r\", nonce=\"n\"", "NTLM abc , Digest realm=r,nonce=n",
    "Negotiate, Digest realm=r, nonce=n", "Digest realm=r, nonce=n, Negotiate YII=",
  ])
  func oneBlobBehindASchemeIsPassedOver(text: String) {
    let parsed = AuthChallenge.parse(text)
    #expect(parsed.count == 2)
    #expect(parsed.first { $0.scheme == "digest" }?.parameters == ["realm": "r", "nonce": "n"])
  }
}
