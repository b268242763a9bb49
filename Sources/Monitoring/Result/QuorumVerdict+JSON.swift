// SPDX-License-Identifier: MIT

import Basics

extension QuorumVerdict {
  /// `confirmed` of a result, as docs/results.md describes it.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("by", down)
      json.field("of", places.count)
      json.field("from", from)
      if outcome == .unconfirmed { json.field("unconfirmed", true) }
      json.key("places")
      json.array { json in
        for place in places { place.write(to: &json) }
      }
      json.key("own")
      json.object { json in
        json.field("state", own.state.rawValue)
        json.field("reason", own.reason.rawValue)
        json.fieldIfPresent("phase", own.phase?.rawValue)
        json.fieldIfPresent("message", own.message)
      }
    }
  }
}

extension PlaceVerdict {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("place", place)
      json.fieldIfPresent("state", state?.rawValue)
      json.fieldIfPresent("reason", reason?.rawValue)
      json.field("alive", isAlive)
      if !isHeard { json.field("heard", false) }
      if isSilent { json.field("silent", true) }
    }
  }
}
