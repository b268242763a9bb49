// SPDX-License-Identifier: MIT

import Basics

extension RouteTrace {
  /// The document of one trace, as docs/trace.md describes it; what is not known is absent.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("host", host)
      json.field("address", target.address.description)
      if target.port != 0 { json.field("port", target.port) }
      json.field("method", method.rawValue)
      json.field("why", why)
      json.field("flows", flows)
      json.field("started_at", startedAt)
      json.field("elapsed_ms", elapsed)
      json.key("end")
      end.write(to: &json)
      json.fieldIfPresent("mtu", mtu)
      if !narrowings.isEmpty {
        json.key("narrowings")
        json.array { json in for narrowing in narrowings { narrowing.write(to: &json) } }
      }
      json.key("hops")
      json.array { json in for hop in hops { hop.write(to: &json) } }
    }
  }

  package var json: String {
    var writer = JSONWriter(reserving: 4096)
    write(to: &writer)
    return writer.text
  }
}

extension TraceEnd {
  /// One word for programs.
  package var kind: String {
    switch self {
    case .reached: "reached"
    case .refused: "refused"
    case .silent: "silent"
    case .loop: "loop"
    case .fault: "fault"
    }
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("kind", kind)
      switch self {
      case .reached(let says): json.field("says", says)
      case .refused(let by, let ttl, let says):
        json.field("says", says)
        json.fieldIfPresent("by", by?.description)
        json.field("ttl", ttl)
      case .silent(let ttl): json.field("ttl", ttl)
      case .loop(let ttl): json.field("ttl", ttl)
      case .fault(let why): json.field("says", why)
      }
    }
  }
}

extension TraceNarrowing {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("ttl", ttl)
      json.fieldIfPresent("by", by?.description)
      json.field("mtu", mtu)
      if isSilent { json.field("silent", true) }
    }
  }
}

extension TraceHop {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("ttl", ttl)
      json.fieldIfPresent("method", method?.rawValue)
      json.field("sent", sent)
      json.field("received", received)
      json.field("loss", loss)
      json.key("answers")
      json.array { json in for answer in answers { answer.write(to: &json) } }
    }
  }
}

extension TraceAnswer {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("address", address.description)
      json.fieldIfPresent("name", name)
      json.fieldIfPresent("network", network)
      json.field("received", received)
      json.field("best_ms", best)
      json.field("avg_ms", average)
      json.field("worst_ms", worst)
      json.fieldIfPresent("reply_ttl", replyTTL)
      json.key("flows")
      json.array { json in for flow in flows { json.integer(flow) } }
      if !labels.isEmpty {
        json.key("labels")
        json.array { json in
          for label in labels {
            json.object { json in
              json.field("label", label.label)
              json.field("ttl", label.ttl)
            }
          }
        }
      }
      json.fieldIfPresent("says", says)
    }
  }
}
