// SPDX-License-Identifier: MIT

import Basics

extension TransportFacts {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("syn_retransmits", Int(synRetransmits))
      json.field("retransmits", Int(retransmits))
      json.fieldIfPresent("rtt_ms", roundTrip)
      json.fieldIfPresent("rttvar_ms", roundTripVariance)
      json.fieldIfPresent("rto_ms", retransmissionTimeout)
      json.fieldIfPresent("mss", segmentSize == 0 ? nil : Int(segmentSize))
      json.fieldIfPresent("path_mtu", pathMTU == 0 ? nil : Int(pathMTU))
    }
  }
}
