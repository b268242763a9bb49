// SPDX-License-Identifier: MIT

import AgentConfig
import Monitoring
import Testing

/// Targets on the command line.
struct AdHocTargetTests {
  @Test(arguments: [
    ("https://example.com", "https://example.com/", "https://example.com"),
    ("HTTP://Example.com:8080/a?token=x", "http://example.com:8080/a", "HTTP://Example.com:8080/a"),
    ("tcp://db:5432", "db:5432", "tcp://db:5432"), ("tcp://[::1]:22/", "[::1]:22", "tcp://[::1]:22/"),
    ("tls://host:8443", "host:8443", "tls://host:8443"), ("tls://host", "host:443", "tls://host"),
    ("tls://[2001:db8::1]", "[2001:db8::1]:443", "tls://[2001:db8::1]"),
    ("ping://host", "host", "ping://host"), ("ping://[::1]", "::1", "ping://[::1]"),
    ("ping://::1", "::1", "ping://::1"),
    ("dns://1.1.1.1/example.com?type=AAAA", "1.1.1.1:53/example.com AAAA", "dns://1.1.1.1/example.com AAAA"),
    (
      "dns://ns1.example:5353/example.com", "ns1.example:5353/example.com A",
      "dns://ns1.example:5353/example.com"
    ),
    ("dns:///localhost?type=a", "system/localhost A", "dns:///localhost A"),
    ("dns://[2001:db8::53]:53/.?type=NS", "[2001:db8::53]:53/. NS", "dns://[2001:db8::53]:53/. NS"),
  ])
  func reads(target: String, probed: String, name: String) throws {
    let check = try MonitoringCheck(CheckDefinition(adHoc: target))
    #expect(check.target == probed && check.name == name && check.origin == .local)
  }

  @Test(arguments: [
    ("Shop front", "\"Shop front\" is neither the name of a check nor a target"),
    ("example.com", "\"example.com\" is neither the name of a check nor a target"),
    ("htps://example.com/?key=x", "\"htps://example.com/\" has the unknown scheme \"htps\""),
    ("ftp://example.com", "\"ftp://example.com\" has the unknown scheme \"ftp\""),
    ("tcp://db", "\"tcp://db\" has no port"), ("tcp://db:0", "\"tcp://db:0\" is no host and port"),
    ("tcp://", "\"tcp://\" is no host and port"),
    ("tcp://db:5432/path", "\"/path\" has no place in this target"),
    ("tls://host?x", "\"?x\" has no place in this target"),
    ("ping://host:80", "\"ping://host:80\" has a port; a ping has none"),
    ("dns://example.com", "\"dns://example.com\" names no server and no question"),
    ("dns://1.1.1.1/", "\"dns://1.1.1.1/\" asks for no name"),
    ("dns://1.1.1.1/a?class=CH", "\"class=CH\" is no option of a dns target"),
    ("dns://1.1.1.1/a?type=A&type=MX", "\"type=MX\" is no option of a dns target"),
  ])
  func refuses(target: String, message: String) {
    do throws(AdHocTargetError) {
      _ = try CheckDefinition(adHoc: target)
      Issue.record("accepted \(target)")
    } catch {
      #expect(error.message == message)
      #expect(error.hint?.isEmpty == false)
    }
  }

  /// What is wrong with a value is the judge's to say, in the words of the file's keys.
  @Test(arguments: [
    ("https://user:pass@example.com", "url must not contain user info; use auth instead"),
    ("tcp://a..b:1", "host must be a name or an address, found \"a..b\", with an empty or overlong label"),
    ("dns://1.1.1.1/a?type=ANY", "query.type must be one of"),
  ])
  func valuesAreJudged(target: String, message: String) throws {
    let definition = try CheckDefinition(adHoc: target)
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(error.problems.count == 1 && error.problems[0].message.hasPrefix(message))
  }
}
