// SPDX-License-Identifier: MIT

import Basics

/// Labels that headers and pages give to the charsets that iconv(3) reads.
extension Charset {
  /// Labels in lower case without hyphens, to the names of glibc. Code pages that begin with `IBM` are EBCDIC.
  static let known: [ByteText: String] = {
    var names: [ByteText: String] = [:]
    for (labels, name) in named {
      for label in labels { names[label] = name }
    }
    for part in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] {
      names[ByteText("iso8859\(part)")] = "ISO-8859-\(part)"
    }
    for page in windows {
      names[ByteText("windows\(page)")] = "CP\(page)"
      names[ByteText("cp\(page)")] = "CP\(page)"
    }
    for page in codePages {
      for prefix in ["cp", "ibm", "xibm", ""] { names[ByteText("\(prefix)\(page)")] = "CP\(page)" }
    }
    for page in ebcdic {
      for prefix in ["cp", "ibm", "cp0", "ibm0"] { names[ByteText("\(prefix)\(page)")] = "IBM\(page)" }
    }
    return names
  }()

  private static let windows = [1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258]

  /// Of PCs and of AIX: ASCII below 0x80.
  private static let codePages = [
    437, 737, 770, 771, 772, 773, 774, 775, 850, 851, 852, 855, 856, 857, 858, 860, 861, 862, 863, 864, 865,
    866, 868, 869, 921, 922, 1046, 1124, 1125, 1129, 1133, 1161, 1162, 1163, 1167,
  ]

  private static let ebcdic = [
    "037", "273", "277", "278", "280", "284", "285", "297", "420", "423", "424", "500", "870", "871",
    "875", "880", "905", "918", "1025", "1026", "1047", "1112", "1122", "1123", "1140", "1141", "1142",
    "1143",
    "1144", "1145", "1146", "1147", "1148", "1149",
  ]

  private static let named: [([ByteText], String)] = [
    // The Encoding Standard's.
    (["koi8r", "koi8", "cskoi8r"], "KOI8-R"), (["koi8u"], "KOI8-U"),
    (["macintosh", "xmacroman", "mac", "macroman", "csmacintosh"], "MACINTOSH"),
    (["xmaccyrillic", "xmacukrainian", "maccyrillic", "macukrainian", "macuk"], "MAC-UK"),
    (["windows874", "tis620", "iso885911", "cp874", "ibm874"], "CP874"),
    (["gbk", "gb2312", "xgbk", "cp936"], "GBK"), (["gb18030"], "GB18030"),
    (["big5", "big5hkscs", "cp950"], "BIG5-HKSCS"), (["eucjp", "xeucjp", "ujis"], "EUC-JP"),
    (["iso2022jp", "csiso2022jp"], "ISO-2022-JP"),
    (["shiftjis", "sjis", "xsjis", "windows31j", "mskanji", "cp932", "ms932"], "CP932"),
    (["euckr", "ksc56011987", "windows949", "cp949", "uhc"], "CP949"),
    (["latin2", "l2"], "ISO-8859-2"), (["latin3", "l3"], "ISO-8859-3"), (["latin4", "l4"], "ISO-8859-4"),
    (["cyrillic"], "ISO-8859-5"), (["arabic"], "ISO-8859-6"), (["greek", "greek8"], "ISO-8859-7"),
    (["iso88598i", "hebrew"], "ISO-8859-8"), (["iso88599", "latin5", "l5"], "CP1254"),
    (["latin6", "l6"], "ISO-8859-10"), (["latin9", "l9"], "ISO-8859-15"), (["latin10"], "ISO-8859-16"),
    // Those of glibc beside them.
    (["ibm437", "cspc8codepage437"], "CP437"), (["cspc850multilingual"], "CP850"), (["cspcp852"], "CP852"),
    (["ibm00858", "cp00858", "ccsid00858", "cspc858multilingual"], "CP858"),
    (["maccentraleurope", "macce", "xmacce"], "MAC-CENTRALEUROPE"), (["macis", "xmacicelandic"], "MAC-IS"),
    (["macsami"], "MAC-SAMI"), (["hproman8", "roman8", "r8", "cshproman8"], "HP-ROMAN8"),
    (["hproman9", "roman9", "r9"], "HP-ROMAN9"), (["hpgreek8"], "HP-GREEK8"), (["hpthai8"], "HP-THAI8"),
    (["hpturkish8"], "HP-TURKISH8"), (["koi8ru"], "KOI8-RU"), (["koi8t"], "KOI8-T"),
    (["armscii8"], "ARMSCII-8"), (["georgianacademy"], "GEORGIAN-ACADEMY"), (["georgianps"], "GEORGIAN-PS"),
    (["tcvn", "tcvn5712", "tcvn57121"], "TCVN5712-1"), (["viscii"], "VISCII"), (["mik"], "MIK"),
    (["pt154", "ptcp154"], "PT154"), (["rk1048"], "RK1048"), (["decmcs"], "DEC-MCS"),
    (["iso88599e"], "ISO-8859-9E"), (["euctw"], "EUC-TW"), (["johab", "cp1361"], "JOHAB"),
    (["iso2022kr", "csiso2022kr"], "ISO-2022-KR"), (["iso2022jp2"], "ISO-2022-JP-2"),
    (["utf7", "unicode11utf7", "csunicode11utf7"], utf7),
  ]

  /// Characters beyond ASCII as ASCII.
  static let utf7 = "UTF-7"
}
