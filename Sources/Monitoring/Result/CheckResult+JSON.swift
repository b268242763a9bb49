// SPDX-License-Identifier: MIT

import Basics

extension CheckResult {
  /// The full document of one result, as docs/results.md describes it; what was not measured is absent.
  ///
  /// - Parameter withAppNames: also with those fields of the Quartz apps' results that are called otherwise here.
  package func write(withAppNames: Bool = false, to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      if withAppNames {
        json.field("checked_at", startedAt)
        json.fieldIfPresent("response_time", facts.responseTime)
      }
      json.field("check_id", checkID.description)
      json.field("check", check)
      json.field("type", type.rawValue)
      json.field("target", target)
      json.field("trigger", trigger.rawValue)
      json.field("scheduled_at", scheduledAt)
      json.field("started_at", startedAt)
      json.field("late_ms", late)
      json.field("status", status.rawValue)
      json.field("state", state.rawValue)
      json.field("reason", reason.rawValue)
      json.fieldIfPresent("phase", phase?.rawValue)
      json.fieldIfPresent("message", message)
      json.fieldIfPresent("response_time_ms", facts.responseTime)
      if facts.timings != Timings() {
        json.key("timings")
        facts.timings.write(to: &json)
      }
      writeList("hops", facts.hops, to: &json) { $0.write(to: &$1) }
      json.fieldIfPresent("address", facts.address)
      json.fieldIfPresent("ip_version", facts.ipVersion)
      json.fieldIfPresent("status_code", facts.statusCode)
      json.fieldIfPresent("http_version", facts.httpVersion)
      if facts.truncated { json.field("truncated", true) }
      facts.writeParts(to: &json)
      writeList("dialog", facts.dialog, to: &json) { $0.write(to: &$1) }
      writeList("assertions", facts.assertions, to: &json) { $0.write(to: &$1) }
      writeList("attempts", attempts, to: &json) { $0.write(to: &$1) }
      writeList("addresses", facts.addresses, to: &json) { $0.write(to: &$1) }
      json.fieldIfPresent("excerpt", facts.excerpt)
      if let trace = facts.account?.trace {
        json.key("trace")
        trace.write(to: &json)
      }
      if maintenance { json.field("maintenance", true) }
      if let confirmation {
        json.key("confirmed")
        confirmation.write(to: &json)
      }
    }
  }

  package var json: String {
    var writer = JSONWriter(reserving: 1024)
    write(to: &writer)
    return writer.text
  }
}

extension ProbeFacts {
  fileprivate func writeParts(to json: inout JSONWriter) {
    if let tcp {
      json.key("tcp")
      tcp.write(to: &json)
    }
    if let tls {
      json.key("tls")
      tls.write(to: &json)
    }
    if let dns {
      json.key("dns")
      dns.write(to: &json)
    }
    if let ping {
      json.key("ping")
      ping.write(to: &json)
    }
  }
}

private func writeList<Element>(
  _ name: StaticString, _ elements: [Element], to json: inout JSONWriter,
  _ write: (Element, inout JSONWriter) -> Void
) {
  guard !elements.isEmpty else { return }
  json.key(name)
  json.array { json in
    for element in elements { write(element, &json) }
  }
}

extension Timings {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("dns_ms", dns)
      json.fieldIfPresent("connect_ms", connect)
      json.fieldIfPresent("starttls_ms", startTLS)
      json.fieldIfPresent("tls_ms", tls)
      json.fieldIfPresent("first_byte_ms", firstByte)
      json.fieldIfPresent("transfer_ms", transfer)
      json.fieldIfPresent("total_ms", total)
    }
  }
}

extension Hop {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("url", url)
      json.fieldIfPresent("status_code", statusCode)
      json.fieldIfPresent("address", address)
      if timings != Timings() {
        json.key("timings")
        timings.write(to: &json)
      }
      if let tcp {
        json.key("tcp")
        tcp.write(to: &json)
      }
    }
  }
}

extension TLSFacts {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("version", version)
      json.fieldIfPresent("cipher", cipher)
      json.field("verified", verified)
      json.fieldIfPresent("verify_error", verifyError)
      json.fieldIfPresent("not_after", notAfter)
      json.fieldIfPresent("days_remaining", daysRemaining)
      json.fieldIfPresent("path_not_after", pathNotAfter)
      json.fieldIfPresent("path_days_remaining", pathDaysRemaining)
      writeList("chain", chain, to: &json) { $0.write(to: &$1) }
    }
  }
}

extension CertificateFacts {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("subject", subject)
      json.field("issuer", issuer)
      json.field("not_before", notBefore)
      json.field("not_after", notAfter)
      json.field("serial", serial)
      json.field("sha256", sha256)
      writeList("sans", sans, to: &json) { $1.string($0) }
      json.fieldIfPresent("sans_total", sansTotal)
    }
  }
}

extension DNSFacts {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("rcode", rcode)
      json.key("answers")
      json.array { json in
        for answer in answers {
          json.object { json in
            json.field("name", answer.name)
            json.field("type", answer.type)
            json.field("ttl", answer.ttl)
            json.field("data", answer.data)
          }
        }
      }
      if answerCount > answers.count { json.field("answer_count", answerCount) }
      json.field("authoritative", authoritative)
      json.field("authentic", authentic)
      json.field("truncated", truncated)
      json.field("transport", transport)
      if ignored > 0 { json.field("ignored", ignored) }
      writeList("errors", errors, to: &json) { $1.string($0) }
    }
  }
}

extension PingFacts {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("sent", sent)
      json.field("received", received)
      json.field("loss", loss)
      json.fieldIfPresent("min_ms", minimum)
      json.fieldIfPresent("avg_ms", average)
      json.fieldIfPresent("max_ms", maximum)
      json.fieldIfPresent("stddev_ms", standardDeviation)
      json.fieldIfPresent("jitter_ms", jitter)
      if refused > 0 { json.field("refused", refused) }
    }
  }
}

extension Assertion {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("what", what)
      json.field("expected", expected)
      json.field("actual", actual)
      json.field("ok", ok)
    }
  }
}

extension AttemptFacts {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("started_at", startedAt)
      json.field("status", status.rawValue)
      json.field("reason", reason.rawValue)
      json.fieldIfPresent("response_time_ms", responseTime)
      writeList("dialled", dialled, to: &json) { $0.write(to: &$1) }
    }
  }
}
