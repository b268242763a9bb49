# SPDX-License-Identifier: MIT
"""The modules, the targets, and the differences that are meant, each with its reason."""

FOUR = "preferred_ip_protocol: ip4"


def http(settings="", timeout="3s", family=FOUR):
    return f"{{prober: http, timeout: {timeout}, http: {{{family}{', ' if settings else ''}{settings}}}}}"


def tcp(settings="", timeout="2s"):
    return f"{{prober: tcp, timeout: {timeout}, tcp: {{{FOUR}{', ' if settings else ''}{settings}}}}}"


def dns(settings, timeout="2s"):
    return f"{{prober: dns, timeout: {timeout}, dns: {{{FOUR}, {settings}}}}}"


CA = "tls_config: {ca_file: ca.pem}"
ANY = "tls_config: {insecure_skip_verify: true}"
WWW = "query_name: www.prove.test, query_type: A"

MODULES = {
    "http": http(),
    "http_short": http(timeout="1s"),
    "http_default": "{prober: http, timeout: 3s}",
    "http_only4": http("ip_protocol_fallback: false"),
    "http_ip6": http(family="preferred_ip_protocol: ip6"),
    "http_only6": http("ip_protocol_fallback: false", family="preferred_ip_protocol: ip6"),
    "http_404": http("valid_status_codes: [404]"),
    "http_304": http("valid_status_codes: [304, 302]"),
    "http_head": http("method: HEAD"),
    "http_post": http('method: POST, headers: {Content-Type: application/json}, body: "{}"'),
    "http_lang": http('headers: {Accept-Language: nl}, fail_if_body_not_matches_regexp: ["lang nl"]'),
    "http_stay": http("follow_redirects: false, valid_status_codes: [302]"),
    "http_well": http("fail_if_body_not_matches_regexp: [all is well]"),
    "http_start": http('fail_if_body_not_matches_regexp: ["^all"]'),
    "http_ill": http("fail_if_body_not_matches_regexp: [all is ill]"),
    "http_bad": http('fail_if_body_matches_regexp: ["^all"]'),
    "http_kind": http('fail_if_header_not_matches: [{header: X-Kind, regexp: "a b"}]'),
    "http_kind_or": http('fail_if_header_not_matches: [{header: X-Kind, regexp: "a b", allow_missing: true}]'),
    "http_unkind": http('fail_if_header_matches: [{header: X-Kind, regexp: "^a"}]'),
    "http_unkind_or": http('fail_if_header_matches: [{header: X-Kind, regexp: "^a", allow_missing: true}]'),
    "http_second": http('fail_if_header_not_matches: [{header: X-Kind, regexp: "^first"}, {header: X-Kind, regexp: "^second"}]'),
    "http_old": http("valid_http_versions: [HTTP/1.0]"),
    "http_http1": http("valid_http_versions: [HTTP/1.1, HTTP/2.0]"),
    "http_clear": http("fail_if_ssl: true"),
    "http_secure": http("fail_if_not_ssl: true"),
    "http_secure_ca": http(f"fail_if_not_ssl: true, {CA}"),
    "http_auth": http("basic_auth: {username: probe, password: secret-word}"),
    "http_bearer": http("authorization: {credentials: a-token}"),
    "http_zip": http("compression: gzip, headers: {Accept-Encoding: gzip}"),
    "http_small": http("body_size_limit: 10B"),
    "http_host": http('headers: {Host: own.example}, fail_if_body_not_matches_regexp: ["host own.example"]'),
    "http_user": http('basic_auth: {username: probe}, fail_if_body_not_matches_regexp: ["^user probe\\\\.$"]'),
    "http_password": http('basic_auth: {password: alone}'),
    "http_scheme": http("authorization: {type: Token, credentials: cHJvYmU6c2VjcmV0LXdvcmQ=}"),
    "http_get_body": http('body: "hello", fail_if_body_not_matches_regexp: ["method GET length 5"]'),
    "http_put_body": http('method: PUT, body: "hello", fail_if_body_not_matches_regexp: ["method PUT length 5"]'),
    "http_no_body": http('method: POST, body: "", fail_if_body_not_matches_regexp: ["method POST length 0?\\\\."]'),
    "http_star": http('fail_if_body_not_matches_regexp: ["^*all", "^+all", "(?:^)?all is well$*", "\\\\b+well\\\\b*"]'),
    "http_star_no": http('fail_if_body_not_matches_regexp: ["^+well"]'),
    "http_star_bad": http('fail_if_body_matches_regexp: ["^{2}all"]'),
    "http_lines": http('fail_if_body_not_matches_regexp: ["(?m)^all is well$", "(?m)^*welcome$"]'),
    "http_text": http('fail_if_body_not_matches_regexp: ["welcome$"]'),
    "http_class": http('fail_if_body_not_matches_regexp: ["^[[:alpha:]^$]+\\\\nall\\\\Q is \\\\Ewell"]'),
    "http_case": http('fail_if_body_not_matches_regexp: ["(?i)ALL IS"]'),
    "http_named": http('fail_if_body_not_matches_regexp: ["(?P<what>all) is"]'),
    "http_null": "{prober: http, timeout: 3s, http: }",
    "http_bare": "{prober: http, timeout: 3s, http: {}}",
    "http_empty": http('headers: {}, fail_if_body_matches_regexp: [], fail_if_header_matches: [], valid_status_codes: [], '
                       'valid_http_versions: [], tls_config: {}, body: "", method: ""'),
    "http_empty_login": http("basic_auth: {}"),
    "http_others": "{prober: http, timeout: 3s, http: {preferred_ip_protocol: ip4}, tcp: {tls: true}, icmp: , dns: {query_name: a}}",
    "http_word4": http(family="preferred_ip_protocol: ipv4"),
    "http_empty6": http(family='preferred_ip_protocol: ""'),
    "http_stay_ca": http(f"follow_redirects: false, valid_status_codes: [200, 302], {CA}"),
    "http_stay_old": http("no_follow_redirects: true, valid_status_codes: [302]"),
    "http_large": http("body_size_limit: 1GB"),
    "http_half": http("body_size_limit: 1.5KB"),
    "http_proxy": http("proxy_url: 'http://127.0.0.1:PROXY'"),
    "http_proxy_blind": http("proxy_url: 'http://127.0.0.1:PROXY', skip_resolve_phase_with_proxy: true"),
    "https_proxy": http(f"proxy_url: 'http://127.0.0.1:PROXY', {CA}"),
    "http_proxy_gone": http("proxy_url: 'http://127.0.0.1:CLOSED'"),
    "http_two_headers": http('fail_if_header_matches: [{header: X-Kind, regexp: "^*c"}], '
                             'fail_if_header_not_matches: [{header: Content-Type, regexp: "^text/"}]'),
    "https": http(CA),
    "https_any": http(ANY),
    "https_well": http(f"{CA}, fail_if_body_not_matches_regexp: [all is well]"),
    "https_http1": http(f"{CA}, enable_http2: false"),
    "https_name": http("tls_config: {ca_file: ca.pem, server_name: localhost}"),
    "https_client": http("tls_config: {ca_file: ca.pem, cert_file: other.pem, key_file: other.key}"),
    "tcp": tcp(),
    "tcp_tls": tcp(f"tls: true, {CA}"),
    "tcp_tls_any": tcp(f"tls: true, {ANY}"),
    "tcp_ssh": tcp('query_response: [{expect: "^SSH-2.0-"}]'),
    "tcp_ssh_talk": tcp('query_response: [{expect: "^SSH-2.0-", send: "SSH-2.0-blackbox-ssh-check"}]'),
    "tcp_other": tcp('query_response: [{expect: "^IRC-"}]', timeout="1s"),
    "tcp_three": tcp('query_response: [{expect: "^one$"}, {expect: "^three"}]', timeout="1s"),
    "tcp_irc": tcp('query_response: [{send: "NICK p"}, {expect: "PING :([^ ]+)", send: "PONG ${1}"}, {expect: "^:[^ ]+ 001"}]'),
    "tcp_null": "{prober: tcp, timeout: 2s, tcp: }",
    "tcp_empty": tcp("query_response: []"),
    "tcp_star": tcp('query_response: [{expect: "^*SSH-2\\\\.0+"}]'),
    "tcp_plain_ca": tcp(CA),
    "tcp_http": tcp('query_response: [{send: "GET /ok HTTP/1.0\\r"}, {send: "\\r"}, {expect: "^HTTP/1.1 200"}]'),
    "tcp_redis": tcp('query_response: [{send: "PING"}, {expect: "^.PONG"}]'),
    "smtp_starttls": tcp(f'{CA}, query_response: [{{expect: "^220 ([^ ]+) ESMTP (.+)$"}}, {{send: "EHLO prober\\r"}}, '
                         f'{{expect: "^250-STARTTLS"}}, {{send: "STARTTLS\\r"}}, {{expect: "^220"}}, {{starttls: true}}, '
                         f'{{send: "EHLO prober\\r"}}, {{expect: "^250-"}}, {{send: "QUIT\\r"}}]'),
    "imap_starttls": tcp(f'{CA}, query_response: [{{expect: "OK.*STARTTLS"}}, {{send: ". STARTTLS\\r"}}, {{expect: "OK"}}, '
                         f'{{starttls: true}}, {{send: ". capability\\r"}}, {{expect: "CAPABILITY IMAP4rev1"}}]'),
    "dns_soa": dns("query_name: prove.test, query_type: SOA"),
    "dns_a": dns(WWW),
    "dns_tcp": dns(f"{WWW}, transport_protocol: tcp"),
    "any": dns("query_name: prove.test"),
    "dns_mx": dns('query_name: prove.test, query_type: MX, validate_additional_rrs: {fail_if_not_matches_regexp: '
                  '["mail.prove.test.\\t60\\tIN\\tA\\t192.0.2.9"]}'),
    "dns_ns": dns('query_name: sub.prove.test, query_type: NS, validate_authority_rrs: {fail_if_not_matches_regexp: '
                  '["NS\\tns.sub"]}'),
    "dns_srv": dns('query_name: _x._tcp.prove.test, query_type: SRV, validate_answer_rrs: {fail_if_not_matches_regexp: '
                   '["1 2 443 www"]}'),
    "dns_alias": dns("query_name: alias.prove.test, query_type: A"),
    "dns_txt": dns('query_name: text.prove.test, query_type: TXT, validate_answer_rrs: {fail_if_not_matches_regexp: '
                   '["TXT\\t\\"hello there\\"$"]}'),
    "dns_nx": dns("query_name: no.prove.test, query_type: A"),
    "dns_nx_ok": dns("query_name: no.prove.test, query_type: A, valid_rcodes: [NXDOMAIN]"),
    "dns_nx_soa": dns('query_name: no.prove.test, query_type: SOA, valid_rcodes: [NXDOMAIN], validate_authority_rrs: '
                      '{fail_if_none_matches_regexp: ["ns.prove.test. a.prove.test. 7 60"]}'),
    "dns_empty": dns('query_name: text.prove.test, query_type: A, validate_answer_rrs: {fail_if_none_matches_regexp: ["A"]}'),
    "dns_refused": dns("query_name: else.example, query_type: A"),
    "dns_with": dns(f'{WWW}, validate_answer_rrs: {{fail_if_none_matches_regexp: ["192.0.2.1"]}}'),
    "dns_without": dns(f'{WWW}, validate_answer_rrs: {{fail_if_matches_regexp: ["192.0.2.2"]}}'),
    "dns_every": dns(f'{WWW}, validate_answer_rrs: {{fail_if_not_matches_regexp: ["192.0.2.2"]}}'),
    "dns_all": dns(f'{WWW}, validate_answer_rrs: {{fail_if_all_match_regexp: [".*192.0.2.*"]}}'),
    "dns_class": dns(f"{WWW}, query_class: IN"),
    "dns_own": dns(f"{WWW}, recursion_desired: false"),
    "dns_star": dns(f'{WWW}, validate_answer_rrs: {{fail_if_none_matches_regexp: ["^*www.*192.0.2.1$"]}}'),
    "dns_empty_rules": dns(f"{WWW}, validate_answer_rrs: {{}}, validate_authority_rrs: "),
    "no_rcodes": dns(f"{WWW}, valid_rcodes: []"),
    "dns_short": dns(WWW, timeout="700ms"),
    "icmp": f"{{prober: icmp, timeout: 2s, icmp: {{{FOUR}}}}}",
    "icmp_size": f"{{prober: icmp, timeout: 2s, icmp: {{{FOUR}, payload_size: 100}}}}",
    "icmp_null": "{prober: icmp, timeout: 2s, icmp: }",
    "icmp_split": f"{{prober: icmp, timeout: 2s, icmp: {{{FOUR}, dont_fragment: true}}}}",
    "icmp6": "{prober: icmp, timeout: 2s, icmp: {preferred_ip_protocol: ip6}}",
}


def text(ports):
    modules = "modules:\n" + "".join(f"  {name}: {module}\n" for name, module in MODULES.items())
    return modules.replace("PROXY", str(ports["proxy"])).replace("CLOSED", str(ports["closed"]))


# Why a difference is meant.
WEAK = "a key of 1,024 bits is no proof of anything: tls_weak"
CIRCLE = "a circle is told when it closes, the exporter walks it eleven times"
CAPITALS = "a scheme in capitals is one (RFC 3986 section 3.1), the exporter takes it for a host"
PLAIN = "what does not say that it is compressed is not taken apart"
NEVER = "ANY is a question that servers refuse (RFC 8482): such a module is refused"
NO_PORT = "where the port cannot be, no name is resolved"
BLIND = "a proxy resolves the name itself, so no address of it is known"
EMPTY = "a list that lets no code pass is refused; the exporter asks, and fails"
REFUSED = "not done here: the module is refused, with the reason"
LATER = "Debian's 0.23 does not know hostname for tcp, which 0.24 has"


def rows(ports):
    """(module, target, further parameters, metrics that may differ and why)"""
    web, tls = f"127.0.0.1:{ports['web']}", f"localhost:{ports['tls']}"
    plain, plain6 = f"http://{web}", f"http://[::1]:{ports['web6']}"

    def at(name):
        return f"127.0.0.1:{ports[name]}"

    for path in ["/file", "/ok", "/empty", "/missing", "/broken", "/once", "/twice", "/see", "/far/1",
                 "/close", "/auth", "/up", "/gone", "/nowhere", "/big"]:
        yield "http", plain + path
    yield "http", plain + "/loop", {}, {"redirects": CIRCLE}
    yield "http", f"HTTP://{web}/ok", {}, {"": CAPITALS}
    yield "http_zip", plain + "/ok", {}, {"uncompressed|success": PLAIN}
    for module, target in [
            ("http", f"{web}/ok"), ("http", f"http://localhost:{ports['web']}/ok"),
            ("http", f"http://LOCALHOST:{ports['web']}/ok"), ("http", f"{plain}/ok?a=b#c"),
            ("http_default", f"{plain}/ok"), ("http_default", f"http://localhost:{ports['web']}/ok"),
            ("http_only4", plain + "/ok"), ("http_only4", plain6 + "/ok"), ("http_ip6", plain6 + "/ok"),
            ("http_ip6", plain + "/ok"), ("http_only6", plain6 + "/ok"), ("http_only6", plain + "/ok"),
            ("http", plain6 + "/ok"), ("http_404", plain + "/ok"), ("http_404", plain + "/missing"),
            ("http_head", plain + "/file"), ("http_head", plain + "/missing"), ("http_head", plain + "/once"),
            ("http_post", plain + "/ok"), ("http_post", plain + "/once"), ("http_post", plain + "/kept"),
            ("http_lang", plain + "/agent"), ("http_stay", plain + "/once"), ("http_stay", plain + "/ok"),
            ("http_stay", plain + "/loop"), ("http_well", plain + "/ok"), ("http_well", plain + "/missing"),
            ("http_well", plain + "/file"), ("http_start", plain + "/ok"), ("http_start", plain + "/file"),
            ("http_ill", plain + "/ok"), ("http_ill", plain + "/missing"), ("http_bad", plain + "/ok"),
            ("http_bad", plain + "/file"), ("http_kind", plain + "/file"), ("http_kind", plain + "/ok"),
            ("http_kind_or", plain + "/file"), ("http_kind_or", plain + "/ok"), ("http_unkind", plain + "/file"),
            ("http_unkind", plain + "/ok"), ("http_unkind_or", plain + "/file"), ("http_unkind_or", plain + "/ok"),
            ("http_second", at("twokinds")), ("http_second", plain + "/file"), ("http_old", plain + "/ok"),
            ("http_old", at("old")), ("http_http1", plain + "/ok"), ("http_clear", plain + "/ok"),
            ("http_secure", plain + "/ok"), ("http_secure_ca", plain + "/up"), ("http_auth", plain + "/auth"),
            ("http_bearer", plain + "/auth"), ("http_zip", plain + "/zip"), ("http_small", plain + "/ok"),
            ("http_small", plain + "/empty"), ("http_host", plain + "/host"),
            ("http", f"http://{at('closed')}/"), ("http", "http://nowhere.invalid/"), ("http", f"http://{at('ssh')}/"),
            ("http", f"http://{at('redis')}/")]:
        yield module, target
    yield "http", plain + "/host", {"hostname": "other.example"}
    yield "http_host", plain + "/host", {"hostname": "other.example"}
    yield "https", f"https://127.0.0.1:{ports['tls']}/ok", {"hostname": "localhost"}
    for name in ["untilclose", "chunked", "cut", "cutchunk", "badchunk", "coded", "old", "baddate", "garbage", "reset",
                 "end", "lead", "unmodified", "early", "odd", "twokinds", "longhead"]:
        yield "http", f"http://{at(name)}/"
    for name in ["mute", "stall", "halfhead"]:
        yield "http_short", f"http://{at(name)}/"
    yield "http_304", f"http://{at('unmodified')}/"
    yield "http_304", f"http://{at('lead')}/"
    for module, target in [
            ("https", f"https://{tls}/ok"), ("https", f"https://{tls}/empty"), ("https", f"https://{tls}/missing"),
            ("https", f"https://{tls}/down"), ("https_any", f"https://{tls}/ok"), ("http", f"https://{tls}/ok"),
            ("https_well", f"https://{tls}/ok"), ("https_http1", f"https://{tls}/ok"),
            ("http_clear", f"https://{tls}/ok"), ("http_secure_ca", f"https://{tls}/ok"),
            ("https_name", f"https://127.0.0.1:{ports['tls']}/ok"), ("https", f"https://127.0.0.1:{ports['tls']}/ok"),
            ("https", f"https://localhost:{ports['expired']}/"), ("https_any", f"https://localhost:{ports['expired']}/"),
            ("https", f"{plain}/up"), ("https", f"https://{web}/ok"), ("https", f"https://localhost:{ports['plain_tls']}/"),
            ("https", f"https://localhost:{ports['mutual']}/"), ("https_client", f"https://localhost:{ports['mutual']}/"),
            ("https", f"http://localhost:{ports['tls']}/ok")]:
        yield module, target
    yield "https", f"https://localhost:{ports['weak']}/", {}, {"": WEAK}
    for name in ["web", "tls", "ssh", "closed", "end", "reset", "mute"]:
        yield "tcp", at(name)
    for name in ["tls", "plain_tls", "expired", "web", "ssh", "closed", "end"]:
        yield "tcp_tls", f"localhost:{ports[name]}"
    yield "tcp_tls", at("tls")
    yield "tcp_tls", at("tls"), {"hostname": "localhost"}, {"ssl|tls|success": LATER}
    for module, name in [("tcp_tls_any", "plain_tls"), ("tcp_tls_any", "tls"), ("tcp_ssh", "ssh"), ("tcp_ssh_talk", "ssh"), ("tcp_ssh", "drip"),
                         ("tcp_ssh", "end"), ("tcp_other", "ssh"), ("tcp_other", "mute"), ("tcp_other", "linesend"),
                         ("tcp_three", "lines"), ("tcp_three", "linesend"), ("tcp_other", "lines"), ("tcp_irc", "irc"),
                         ("tcp_http", "web"), ("tcp_redis", "redis"), ("tcp_redis", "web")]:
        yield module, at(name)
    for target in ["nowhere.invalid:80", "127.0.0.1", "[::1]:1"]:
        yield "tcp", target
    yield "tcp", "127.0.0.1:99999", {}, {"lookup|ip_": NO_PORT}
    yield "smtp_starttls", f"localhost:{ports['smtp']}"
    yield "smtp_starttls", at("smtp")
    yield "smtp_starttls", at("ssh")
    yield "imap_starttls", f"localhost:{ports['imap']}"
    for module in MODULES:
        if module.startswith("dns_") and module != "dns_short":
            yield module, at("dns")
    yield "any", at("dns"), {}, {"error": NEVER}
    yield "no_rcodes", at("dns"), {}, {"error": EMPTY}
    yield "dns_a", f"localhost:{ports['dns']}"
    yield "dns_a", at("closed")
    for name in ["dnsmute", "dnsrubbish", "dnsfail"]:
        yield "dns_short", at(name)
    yield "dns_a", "nowhere.invalid"
    for module, target in [("icmp", "127.0.0.1"), ("icmp", "localhost"), ("icmp_size", "127.0.0.1"), ("icmp6", "::1"),
                           ("icmp", "nowhere.invalid")]:
        yield module, target
    web_name, tls_plain = f"http://localhost:{ports['web']}", f"https://127.0.0.1:{ports['tls']}"
    for module, target in [
            ("http_user", plain + "/user"), ("http_user", plain + "/auth"), ("http_password", plain + "/user"),
            ("http_scheme", plain + "/auth"), ("http_scheme", plain + "/user"), ("http_get_body", plain + "/length"),
            ("http_get_body", plain + "/once"), ("http_put_body", plain + "/length"), ("http_no_body", plain + "/length"),
            ("http_star", plain + "/ok"), ("http_star", plain + "/file"), ("http_star_no", plain + "/ok"),
            ("http_star_bad", plain + "/ok"), ("http_star_bad", plain + "/file"), ("http_lines", plain + "/file"),
            ("http_lines", plain + "/ok"), ("http_text", plain + "/file"), ("http_class", plain + "/file"),
            ("http_case", plain + "/ok"), ("http_named", plain + "/ok"), ("http_null", plain + "/ok"),
            ("http_null", web_name + "/ok"), ("http_bare", plain + "/ok"), ("http_empty", plain + "/ok"),
            ("http_empty", plain + "/missing"), ("http_empty_login", plain + "/user"), ("http_others", plain + "/ok"),
            ("http_word4", web_name + "/ok"), ("http_word4", plain6 + "/ok"), ("http_empty6", plain6 + "/ok"),
            ("http_empty6", web_name + "/ok"), ("http_stay_ca", plain + "/ok"), ("http_stay_ca", plain + "/up"),
            ("http_stay_ca", f"https://{tls}/ok"), ("http_stay_old", plain + "/once"), ("http_stay_old", plain + "/ok"),
            ("http_large", plain + "/ok"), ("http_half", plain + "/ok"), ("http_half", plain + "/big"),
            ("http_proxy", plain + "/ok"), ("http_proxy", plain + "/once"), ("http_proxy", plain + "/missing"),
            ("http_proxy", f"http://{at('closed')}/"), ("http_proxy", plain + "/empty"),
            ("https_proxy", f"{tls_plain}/ok"), ("https_proxy", plain + "/file"),
            ("http_proxy_gone", plain + "/ok"), ("http_proxy_gone", f"{tls_plain}/ok"),
            ("http_proxy_blind", plain + "/ok"),
            ("http_two_headers", plain + "/file"), ("http_two_headers", plain + "/ok"),
            ("tcp_null", at("web")), ("tcp_null", at("closed")), ("tcp_empty", at("ssh")), ("tcp_star", at("ssh")),
            ("tcp_star", at("irc")), ("tcp_plain_ca", at("tls")), ("icmp_null", "127.0.0.1"), ("icmp_null", "::1")]:
        yield module, target
    for module, target in [("http_proxy", web_name + "/ok"), ("https_proxy", f"https://{tls}/ok"),
                           ("http_proxy_blind", web_name + "/ok"), ("http_proxy", "http://nowhere.invalid/")]:
        yield module, target, {}, {"ip_|lookup|duration": BLIND}
    yield "icmp_split", "127.0.0.1", {}, {"error": REFUSED}
    yield "", plain + "/ok"
    yield "unheard", plain + "/ok"
    yield "http", ""
