// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Japanese.
struct JapaneseWords: PublicWords {
  let language = PublicLanguage.japanese
  let ownName = "日本語"

  let point = "."
  let percentGap = ""
  var units: [String] { ["日", "時間", "分", "秒"] }
  let unitGap = ""
  let dayGap = " "
  let yourTime = "（現地時間）"
  let timesAreUTC = "時刻はUTCです。"
  let timesAreYours = "時刻はお使いのタイムゾーンで表示しています。"
  let daysAreUTC = "日付の区切りは00:00 UTCです。"

  private static let weekdays = ["月", "火", "水", "木", "金", "土", "日"]

  func day(_ date: LocalTime) -> String {
    let (_, month, day) = date.date
    return "\(month)月\(day)日(\(Self.weekdays[date.weekday]))"
  }

  func asOf(_ moment: Sentence) -> Sentence { "\(moment) 現在" }

  func names(_ names: [Sentence], more: Int) -> Sentence {
    let all = Sentence.joined(names, by: "、")
    return more > 0 ? "\(all)、ほか\(more)件" : all
  }

  func down(_ names: Sentence, isOne: Bool) -> Sentence { "\(names)が停止しています" }
  func slow(_ names: Sentence, isOne: Bool) -> Sentence { "\(names)の応答が遅くなっています" }
  func impaired(_ names: Sentence, isOne: Bool) -> Sentence { "\(names)に問題が発生しています" }
  func unknown(_ names: Sentence, isOne: Bool) -> Sentence { "\(names)の状態は現在確認できません" }
  func inMaintenance(_ names: Sentence, isOne: Bool) -> Sentence { "\(names)はメンテナンス中です" }
  let clauseGap = "。"
  let allWork = "すべてのサービスが正常に稼働しています"
  let nothingShown = "表示する項目はまだありません"
  func working(_ count: Int, of total: Int) -> String { "\(total)件中\(count)件のサービスが稼働しています。" }
  func since(_ moment: Sentence, length: String) -> Sentence { "\(moment) から\(length)経過。" }

  let services = "サービス"
  let isUp = "稼働中"
  let isSlow = "応答遅延"
  let isImpaired = "一部障害"
  let isDown = "停止"
  let isUnknown = "不明"
  let isInMaintenance = "メンテナンス中"
  func since(_ state: String, _ moment: Sentence) -> Sentence { "\(state)（\(moment) から）" }
  func until(_ state: String, _ moment: Sentence) -> Sentence { "\(state)（\(moment) まで）" }

  let ninetyDaysAgo = "90日前"
  let today = "今日"
  let noData = "データなし"
  let maintenance = "メンテナンス"
  let outage = "停止あり"
  let impairment = "一部障害"
  func downFor(_ length: String) -> String { "停止 \(length)" }
  func impairedFor(_ length: String) -> String { "一部障害 \(length)" }
  func ofData(_ length: String) -> String { "\(length)分のデータ" }
  func daysLabel(withOutage: Int, withoutData: Int) -> String {
    "過去90日間：停止があった日 \(withOutage)日、データのない日 \(withoutData)日"
  }
  func more(_ count: Int) -> String { "ほか\(count)件" }
  let andMore = "ほか"

  func word(_ state: PostState) -> String {
    switch state {
    case .investigating: "調査中"
    case .identified: "原因特定"
    case .monitoring: "経過観察中"
    case .resolved: "解決済み"
    }
  }
  let pastPosts = "解決済みのお知らせ"
  let plannedMaintenance = "メンテナンスの予定"
  func fromTo(_ from: Sentence, _ to: Sentence) -> Sentence { "\(from) ～ \(to)" }

  let pastOutages = "過去90日間の停止"
  let noOutages = "過去90日間に停止はありませんでした。"
  func lasting(_ length: String) -> String { "停止中、現在までに\(length)" }
  func repeated(_ count: Int, within span: String, down length: String) -> String {
    "\(span)の間に\(count)回停止、合計\(length)"
  }
  func earlier(_ count: Int) -> String { "それ以前に\(count)件" }

  func began(_ name: Sentence) -> Sentence { "\(name)が停止しています" }
  func ended(_ name: Sentence, length: String) -> Sentence { "\(name)が\(length)停止しました" }
  func flapped(_ name: Sentence, count: Int, length: String) -> Sentence {
    "\(name)が\(count)回停止しました（合計\(length)）"
  }
  func sinceMoment(_ moment: Sentence) -> Sentence { "\(moment) から。" }

  let subscribe = "購読"
  let languages = "言語"
  let imprint = "運営者情報"
  let updatesItself = "このページは1分ごとに更新されます。"
  let isNotUpdated =
    "このページは現在更新されていません。表示内容が古い可能性があります。"

  let latency = "応答時間"
  func uptime(_ period: UptimePeriod) -> String {
    let span =
      switch period {
      case .day: "24時間"
      case .week: "7日間"
      case .month: "30日間"
      case .quarter: "90日間"
      }
    return "稼働率 \(span)"
  }
  let status = "状態"
  let notFound = "見つかりません"
  let noSuchBadge = "該当するバッジがありません"
}
