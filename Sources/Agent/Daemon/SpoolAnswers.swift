// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import QuartzAPI
import Spool
import StatusServer

/// The running agent's answers about its store for `quartz-agent spool`.
struct StoreDesk: Sendable {
  let base: AgentBase
  /// `nil` where results stay on this machine.
  let uploader: Uploader?

  private var spool: ResultSpool { base.outside.spool }
  private var catalog: CheckCatalog { base.catalog }

  func answer(_ question: SpoolQuestion) async -> SpoolAnswer {
    switch question {
    case .summary: return SpoolAnswer(renderStore(spool.status()))
    case .results(let after, let limit, let waiting): return await page(after: after, limit, waiting: waiting)
    case .quarantine:
      let lines = await spool.quarantined().map {
        renderRecord($0.record, check: catalog[$0.record.checkID]?.name, code: $0.code)
      }
      return SpoolAnswer(lines.joined())
    case .check:
      guard let check = await spool.read({ $0.check() }) else { return Self.closed }
      return SpoolAnswer(renderCheck(check), isSound: check.isSound)
    case .resubmit:
      guard let count = await spool.resubmit() else {
        return SpoolAnswer("the store is not durable now: nothing was changed\n", status: 503)
      }
      uploader?.recorded()
      return SpoolAnswer(renderResubmitted(count))
    case .submit(let bundle): return submit(bundle)
    }
  }

  /// Takes results that `once` made. They are of no slot and in no window, like those of run-now.
  private func submit(_ bundle: [UInt8]) -> SpoolAnswer {
    guard let records = RecordBundle.decode(bundle) else {
      return SpoolAnswer("this is no list of results\n", status: 400)
    }
    guard records.count <= RecordBundle.most else {
      return SpoolAnswer("more than \(RecordBundle.most) results: send them in parts\n", status: 413)
    }
    guard let uploader else {
      return SpoolAnswer("this agent delivers nothing: quartz.deliver.to is off\n", status: 409)
    }
    var taken = 0
    var refused: [String] = []
    for record in records where record.state != .unknown {
      guard let check = catalog[record.checkID], catalog.isPosted(check) else {
        refused.append(record.checkID.description)
        continue
      }
      spool.enqueue(handedOver(record))
      taken += 1
    }
    if taken > 0 { uploader.recorded(taken) }
    var json = JSONWriter()
    json.object { json in
      json.field("taken", taken)
      json.key("refused")
      json.array { json in refused.forEach { json.string($0) } }
    }
    return SpoolAnswer(json.text)
  }

  /// Another process's word is taken for the result alone, not for what this agent knows better.
  private func handedOver(_ record: DeliveryRecord) -> DeliveryRecord {
    var record = record
    record.agent = base.settings.agent.name
    record.trigger = .manual
    record.flags = .post
    base.maintenance.plan.stamp(&record, endedAt: base.time.wall())
    return record
  }

  private static let closed = SpoolAnswer("the agent is stopping\n", status: 503)

  private func page(after: UInt64, _ limit: Int, waiting: Bool) async -> SpoolAnswer {
    let catalog = catalog
    let text = await spool.read { reader in
      var text = ""
      var count = 0
      reader.results(after: after) { queued, isSettled in
        if waiting, isSettled { return true }
        let name = catalog[queued.record.checkID]?.name
        text += renderRecord(queued.record, sequence: queued.sequence, check: name, code: nil)
        count += 1
        return count < limit
      }
      return text
    }
    return text.map { SpoolAnswer($0) } ?? Self.closed
  }
}
