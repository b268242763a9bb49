// SPDX-License-Identifier: MIT

import Basics
import COpenSSL
import Glibc

/// Our own verdict on one TLS handshake, from inside the handshake.
///
/// The verdict falls in OpenSSL's certificate callback: facts are recorded first, then the chain and the host name
/// are judged, and the handshake is refused if they fail. Nothing of the request leaves before it, and the facts
/// exist for a refused handshake too.
///
/// Belongs to one connection and its thread, and must outlive that connection's SSL_CTX. Any client can use it, not
/// only libcurl: make one, call `configure(_:)` on the SSL_CTX, connect.
package final class HandshakeJudge {
  package private(set) var report: TLSReport?
  /// When the handshake was complete.
  private(set) var doneAt: Instant?
  /// The fatal alert the server sent, as numbered by RFC 8446 section 6.
  package private(set) var alert: Int32?
  /// The fatal alert we sent once the handshake was complete.
  private var ownAlert: Int32?
  /// The server ended its side of the connection as TLS wants it (close_notify).
  private(set) var saidFarewell = false
  package private(set) var clientCertificateRequested = false
  /// The oldest code in OpenSSL's queue when the handshake failed; zero: none.
  package private(set) var errorCode: UInt = 0
  /// The protocol the server chose of `protocols`; nil: none.
  private(set) var chosenProtocol: String?
  /// Offered by ALPN (RFC 7301) instead of what the context offers, set before `configure(_:)`; empty: left as it is.
  package var protocols: [String] = []
  /// Why `configure(_:)` failed, where it is the check's own files; nil: OpenSSL refused.
  package private(set) var fault: String?

  private let name: String
  private let options: TLSOptions
  private let store: CertificateStore
  private var verifyErrors: [VerifyError] = []
  private var mustStaple = false
  private var records = RecordBudget()
  /// The server sent more records without content than any connection has, and reading was ended for it.
  package private(set) var isFlooded = false
  /// The one further handshake that a server may ask for has begun.
  private var hasRenegotiated = false
  /// A record came once the handshake was complete.
  private var hasHeardSince = false
  /// Counts the chain that was received, until the connection is no more.
  private let lease: MemoryLease
  private var isOutOfMemory = false
  /// The server's Diffie-Hellman group was refused for the time it takes.
  private var hugeGroup: Int?
  /// Whether the handshake's parameters must be those that ordinary clients take.
  fileprivate private(set) var isStrict = false
  /// Told when the server's certificates are here.
  var onCertificate: (() -> Void)?

  /// Bytes of a chain, as OpenSSL and so most clients take. `HandshakeEnd` has it in words.
  private static let longestChain = 100 * 1024
  /// Bytes of memory that OpenSSL takes for a byte of a certificate, once read.
  private static let sizeInMemory = 4

  /// - Parameters:
  ///   - host: the name or address literal (no brackets) the certificate must be for, unless `options` names another.
  ///   - origin: whose share of the memory the chain takes.
  ///   - memory: of all answers under way.
  package init(
    host: String, options: TLSOptions, store: CertificateStore,
    for origin: WorkOrigin = WorkOrigin(.fileChecks),
    memory: MemoryBudget = .shared
  ) {
    lease = MemoryLease(memory, for: origin, floors: 2)
    let name = options.serverName ?? host
    self.name = name.hasSuffix(".") ? String(name.dropLast()) : name
    self.options = options
    self.store = store
  }

  /// Takes over an SSL_CTX before its first handshake. False: OpenSSL refused, and the context must not be used.
  package func configure(_ context: OpaquePointer) -> Bool {
    let itself = Unmanaged.passUnretained(self).toOpaque()
    guard contextIndex >= 0, SSL_CTX_set_ex_data(context, contextIndex, itself) == 1 else { return false }
    // Level 0 so that a weak chain reaches our verdict, which names it, instead of failing without facts.
    SSL_CTX_set_security_level(context, 0)
    isStrict = options.verify && options.minimumVersion.number >= TLS1_2_VERSION
    SSL_CTX_set_security_callback(context, judgeStrength)
    guard quartz_ssl_set_min_version(context, options.minimumVersion.number) == 1,
      quartz_ssl_set_max_version(context, options.maximumVersion?.number ?? 0) == 1,
      quartz_ssl_set_max_chain_bytes(context, Self.longestChain) == 1
    else { return false }
    if let sort = options.keySort, quartz_ssl_set_signatures(context, sort.signatures) != 1 { return false }
    SSL_CTX_set1_cert_store(context, store.pointer)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    SSL_CTX_set_cert_verify_callback(context, judgeCertificate, itself)
    SSL_CTX_set_cert_cb(context, noteClientCertificateRequest, nil)
    SSL_CTX_set_info_callback(context, noteProgress)
    SSL_CTX_set_msg_callback(context, noteRecord)
    guard offerProtocols(context) else { return false }
    if let certificate = options.clientCertificate {
      fault = ClientIdentity.use(certificate: certificate, key: options.clientKey, on: context)
    }
    return fault == nil
  }

  private func offerProtocols(_ context: OpaquePointer) -> Bool {
    if protocols.isEmpty { return true }
    let names = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    // Zero is success here.
    return SSL_CTX_set_alpn_protos(context, names, UInt32(names.count)) == 0
  }

  private func noteProtocol(_ ssl: OpaquePointer) {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    if let name {
      chosenProtocol = String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }
  }

  /// How the handshake went, for the verdict on the connection.
  package var end: HandshakeEnd {
    var end = HandshakeEnd(
      problems: options.verify ? report?.problems ?? [] : [], words: report?.words ?? "", alert: alert,
      clientCertificateRequested: clientCertificateRequested, errorCode: errorCode, ownAlert: ownAlert,
      isFlooded: isFlooded)
    end.isOutOfMemory = isOutOfMemory
    end.hugeGroup = hugeGroup
    end.isRequestUnmet =
      clientCertificateRequested && options.clientCertificate == nil && report?.version == "TLSv1.3"
      && doneAt != nil && !hasHeardSince
    return end
  }

  /// The longest prime of a group of the server's own: with exponents as long, OpenSSL computes 22 ms with 4,096 bits, and
  /// 590 with the 10,000 that it would take.
  private static let longestPrime = 4096

  /// False: the group is not computed with.
  fileprivate func take(group: OpaquePointer) -> Bool {
    let bits = Int(EVP_PKEY_get_bits(group))
    guard bits > Self.longestPrime, quartz_is_named_group(group) == 0 else { return true }
    hugeGroup = bits
    return false
  }

  /// False: the connection is to be read no more.
  func takeRecord(content: Int32, first: UInt8?) -> Bool {
    if doneAt != nil { hasHeardSince = true }
    if records.take(content: content, first: first) { return true }
    isFlooded = true
    return false
  }

  fileprivate func judge(_ verification: OpaquePointer, _ ssl: OpaquePointer) -> Bool {
    verifyErrors = []
    onCertificate?()
    let presented = X509_STORE_CTX_get0_untrusted(verification)
    let size = self.size(presented)
    guard lease.grow(by: Self.sizeInMemory * size) else {
      isOutOfMemory = true
      X509_STORE_CTX_set_error(verification, X509_V_ERR_OUT_OF_MEM)
      return false
    }
    X509_STORE_CTX_set_verify_cb(verification, collectError)
    X509_STORE_CTX_set_depth(verification, Int32(ChainPrice.depth))
    let isTooDear = ChainPrice(presented, size: size).isTooDear
    let built = isTooDear ? 0 : X509_verify_cert(verification)
    var problems = CertificateVerdict.problems(of: verifyErrors, isBuilt: built == 1)
    if !isForHost(X509_STORE_CTX_get0_cert(verification)) { problems.append(.hostname) }
    let weak = weakCertificates(verification, anchored: problems.isEmpty)
    if !weak.isEmpty { problems.append(.weak) }

    var details = CertificateVerdict.details(of: verifyErrors + weak)
    if isTooDear { details[.untrusted] = CertificateVerdict.tooDear }
    let chain = presentedChain(verification)
    if problems.contains(.hostname) {
      details[.hostname] =
        isAddressAsName(X509_STORE_CTX_get0_cert(verification))
        ? CertificateVerdict.addressAsName(name) : chain.first.map(CertificateVerdict.names)
    }
    let cipher = SSL_get_pending_cipher(ssl) ?? SSL_get_current_cipher(ssl)
    report = TLSReport(
      version: String(cString: SSL_get_version(ssl)),
      cipher: cipher.flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) },
      chain: chain, problems: CertificateVerdict.ordered(problems),
      details: details,
      pathNotAfter: built == 1 && verifyErrors.isEmpty ? earliestEnd(verification) : nil)

    report?.name = name
    if report?.pathNotAfter == nil { report?.untrustedNotAfter = earliestEnd(verification) }
    mustStaple = X509_STORE_CTX_get0_cert(verification).map { quartz_x509_must_staple($0) == 1 } ?? false

    let refused = options.verify && !problems.isEmpty
    // The code chooses the alert the server gets to see.
    let code = refused ? verifyErrors.first?.code ?? X509_V_ERR_APPLICATION_VERIFICATION : X509_V_OK
    X509_STORE_CTX_set_error(verification, code)
    return !refused
  }

  /// Of a chain as it was sent, in bytes.
  private func size(_ chain: OpaquePointer?) -> Int {
    (0..<quartz_x509_count(chain)).compactMap { quartz_x509_at(chain, $0) }
      .reduce(0) { $0 + Int(max(0, i2d_X509($1, nil))) }
  }

  /// RFC 9525: the subject's common name is no identity, and a wildcard is a whole label.
  private func isForHost(_ leaf: OpaquePointer?) -> Bool {
    guard let leaf else { return false }
    if IPAddress(name) != nil { return X509_check_ip_asc(leaf, name, 0) == 1 }
    let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    return X509_check_host(leaf, name, name.utf8.count, flags, nil) == 1 || isUnderWildcard(leaf)
  }

  /// Wildcards that RFC 9525 section 6.3 allows and OpenSSL does not: for a label with an underscore, which DNS has and
  /// other clients accept, and directly below a single label, as in `*.vault-internal`.
  private func isUnderWildcard(_ leaf: OpaquePointer) -> Bool {
    let label = name.prefix { $0 != "." }
    guard !label.isEmpty, !label.hasPrefix("_"), label.count < name.count else { return false }
    return CertificateReader.hasHostName(leaf, "*" + name.dropFirst(label.count))
  }

  /// Whether an address is wanted that the certificate has among its host names.
  private func isAddressAsName(_ leaf: OpaquePointer?) -> Bool {
    guard let leaf, IPAddress(name) != nil else { return false }
    return CertificateReader.hasHostName(leaf, name)
  }

  /// Certificates on the path whose key or signature is too weak, the server's own first.
  ///
  /// - Parameter anchored: the chain ends in a trusted certificate, whose own strength is the administrator's matter.
  private func weakCertificates(_ verification: OpaquePointer, anchored: Bool) -> [VerifyError] {
    let chain = X509_STORE_CTX_get0_chain(verification)
    let count = quartz_x509_count(chain)
    return (0..<count).compactMap { index in
      guard let certificate = quartz_x509_at(chain, index) else { return nil }
      let isAnchor = anchored && index == count - 1
      var weaknesses: [String?] = []
      if !isAnchor || index == 0, let key = X509_get0_pubkey(certificate) {
        weaknesses.append(CertificateVerdict.weakness(key: key))
      }
      var digest: Int32 = 0
      if !isAnchor, X509_get_signature_info(certificate, &digest, nil, nil, nil) == 1 {
        weaknesses.append(CertificateVerdict.weakness(signatureDigest: digest))
      }
      let words = weaknesses.compactMap(\.self).joined(separator: ", ")
      if words.isEmpty { return nil }
      return VerifyError(
        code: X509_V_ERR_CA_MD_TOO_WEAK, depth: index,
        subject: CertificateReader.title(certificate).printable(maxBytes: CertificateVerdict.shownSubject),
        weakness: words)
    }
  }

  /// Over the path that was built, which need not be what the server presented.
  private func earliestEnd(_ verification: OpaquePointer) -> Int64? {
    let path = X509_STORE_CTX_get0_chain(verification)
    return (0..<quartz_x509_count(path)).compactMap { quartz_x509_at(path, $0) }
      .map { quartz_asn1_seconds(X509_get0_notAfter($0)) }.min()
  }

  private func presentedChain(_ verification: OpaquePointer) -> [PresentedCertificate] {
    let presented = X509_STORE_CTX_get0_untrusted(verification)
    let count = min(quartz_x509_count(presented), Int32(CertificateReader.maximumCertificates))
    return (0..<count).compactMap { quartz_x509_at(presented, $0).map(CertificateReader.read) }
  }

  fileprivate func collect(_ error: VerifyError) {
    if verifyErrors.count < 32 { verifyErrors.append(error) }
  }

  fileprivate func noteClientCertificate() { clientCertificateRequested = true }

  private func noteStaple(_ ssl: OpaquePointer) {
    let found = quartz_ssl_judge_staple(ssl)
    report?.isStapleMissing = mustStaple && found == QUARTZ_STAPLE_NONE
    report?.stapleFault = StapleFault(found)
  }

  fileprivate func note(_ ssl: OpaquePointer, _ event: Int32, _ value: Int32) {
    if event & SSL_CB_HANDSHAKE_START != 0 {
      quartz_ssl_request_staple(ssl)
      // Up to TLS 1.2 a second handshake is how a server asks for a client certificate once it knows the path, and it may be
      // content without one. This event comes before the server's request for it is read, so only the next one is refused.
      if hasRenegotiated { quartz_ssl_end_renegotiation(ssl) }
      hasRenegotiated = doneAt != nil
    }
    if event & SSL_CB_HANDSHAKE_START != 0, let serverName = options.serverName, IPAddress(serverName) == nil
    {
      // Here, because libcurl sets the URL's host after it handed us the context. Without a final dot (RFC 6066 section 3).
      _ = quartz_ssl_set_server_name(ssl, name)
    }
    if event & SSL_CB_HANDSHAKE_DONE != 0, doneAt == nil {
      doneAt = .now
      noteProtocol(ssl)
    }
    // Up to TLS 1.2 it comes behind the certificate, and was not there when that was judged.
    if event & SSL_CB_HANDSHAKE_DONE != 0 { noteStaple(ssl) }
    // An alert is its level and its description, a byte each.
    if event & SSL_CB_ALERT != 0, event & SSL_CB_READ != 0, value >> 8 == SSL3_AL_FATAL {
      alert = value & 0xff
    }
    if event & SSL_CB_ALERT != 0, event & SSL_CB_WRITE != 0, value >> 8 == SSL3_AL_FATAL, doneAt != nil {
      ownAlert = value & 0xff
    }
    if event & SSL_CB_ALERT != 0, event & SSL_CB_READ != 0, value & 0xff == SSL3_AD_CLOSE_NOTIFY {
      saidFarewell = true
    }
    if event & SSL_CB_EXIT != 0, value <= 0 { errorCode = UInt(ERR_peek_error()) }
  }
}

extension TLSVersion {
  fileprivate var number: Int32 {
    switch self {
    case .v10: TLS1_VERSION
    case .v11: TLS1_1_VERSION
    case .v12: TLS1_2_VERSION
    case .v13: TLS1_3_VERSION
    }
  }
}

/// The slot of a judge on its SSL_CTX, taken once for the process.
private let contextIndex = quartz_ssl_context_index()

func judge(of ssl: OpaquePointer) -> HandshakeJudge? {
  guard let context = SSL_get_SSL_CTX(ssl), let itself = SSL_CTX_get_ex_data(context, contextIndex) else {
    return nil
  }
  return Unmanaged<HandshakeJudge>.fromOpaque(itself).takeUnretainedValue()
}

private func connection(of verification: OpaquePointer) -> OpaquePointer? {
  X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()).map { OpaquePointer($0) }
}

/// OpenSSL's callback for the whole chain: 1 accepts, 0 refuses.
private func judgeCertificate(_ verification: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let verification, let argument, let ssl = connection(of: verification) else { return 0 }
  let judge = Unmanaged<HandshakeJudge>.fromOpaque(argument).takeUnretainedValue()
  return judge.judge(verification, ssl) ? 1 : 0
}

/// OpenSSL's callback for each problem of the chain. Going on collects them all; the judge refuses afterwards.
private func collectError(_ ok: Int32, _ verification: OpaquePointer?) -> Int32 {
  guard ok != 1 else { return 1 }
  guard let verification, let ssl = connection(of: verification), let judge = judge(of: ssl) else { return 0 }
  var error = VerifyError(
    code: X509_STORE_CTX_get_error(verification), depth: X509_STORE_CTX_get_error_depth(verification))
  if let certificate = X509_STORE_CTX_get_current_cert(verification),
    error.problem == .expired || error.problem == .notYetValid
  {
    let end = quartz_asn1_seconds(X509_get0_notAfter(certificate))
    error.notAfter = end == .min ? nil : end
    let begin = quartz_asn1_seconds(X509_get0_notBefore(certificate))
    error.notBefore = begin == .min || error.problem == .expired ? nil : begin
    error.subject = CertificateReader.title(certificate).printable(maxBytes: CertificateVerdict.shownSubject)
  }
  judge.collect(error)
  return 1
}

/// OpenSSL's callback for the strength of what a handshake uses. Certificates are for our own verdict; what the server's
/// handshake itself leans on, a Diffie-Hellman group or a signature, is held to what ordinary clients take: 2,048 bits,
/// and no SHA-1 (RFC 9325 sections 4.1 and 4.3).
private func judgeStrength(
  _ ssl: OpaquePointer?, _ context: OpaquePointer?, _ operation: Int32, _ bits: Int32, _ kind: Int32,
  _ other: UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  let owner = ssl.flatMap { judge(of: $0) }
  let isStrict = owner?.isStrict ?? false
  switch operation & 0xffff {
  case SSL_SECOP_TMP_DH & 0xffff:
    if let owner, let other, !owner.take(group: OpaquePointer(other)) { return 0 }
    // OpenSSL's own rule of level 0 where nothing stricter is asked for.
    return bits >= (isStrict ? 112 : 80) ? 1 : 0
  case SSL_SECOP_SIGALG_CHECK & 0xffff: return bits >= 80 || !isStrict ? 1 : 0
  default: return 1
  }
}

/// Remembers that a certificate was wanted: a later refusal is explained by it. Goes on with what is configured.
private func noteClientCertificateRequest(_ ssl: OpaquePointer?, _ argument: UnsafeMutableRawPointer?)
  -> Int32
{
  if let ssl, let judge = judge(of: ssl) { judge.noteClientCertificate() }
  return 1
}

private func noteProgress(_ ssl: OpaquePointer?, _ event: Int32, _ value: Int32) {
  guard let ssl, let judge = judge(of: ssl) else { return }
  judge.note(ssl, event, value)
}
