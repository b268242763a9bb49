# SPDX-License-Identifier: MIT
#
# Writes the fixture of RelabellingTests: rules, a target, and what a real Prometheus makes of it.
#   python3 scripts/import/relabelling.py Tests/ImportTests/Fixtures/relabelling.json
# Needs prometheus and promtool in PATH (apt-get install prometheus) and port 19090 of this machine.

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

A="__address__"; T="__param_target"
def r(**keys): return keys
base={"a":"Foo-Bar.9","b":"x y","env":"prod","url":"https://shop.example:8443/p/q?x=1"}
copy=[r(source_labels=[A],target_label=T)]
cases=[]
def c(rules,labels=None,address="db1.example:9100"):
    cases.append({"rules":rules,"labels":dict(base if labels is None else labels),"address":address})
# replace
c(copy)
c([r(source_labels=[A],regex="(.*):(\\d+)",target_label=T,replacement="$1:443")])
c([r(source_labels=[A],regex="([^:]+)(?::\\d+)?",target_label=T,replacement="https://${1}/")])
c([r(source_labels=["a","b"],target_label="j")])
c([r(source_labels=["a","b"],separator="|",target_label="j",regex="(.+)\\|(.+)",replacement="$2-$1")])
c([r(source_labels=["a","nothing"],target_label="j")])
c([r(source_labels=["nothing"],target_label="j")])
c([r(target_label="j",replacement="fixed")])
c([r(target_label="a",replacement="")])
c([r(source_labels=["a"],regex="nomatch",target_label="a",replacement="z")])
c([r(source_labels=["a"],regex="Foo.*",target_label="a",replacement="z")])
c([r(source_labels=["a"],regex="foo.*",target_label="a",replacement="z")])
c([r(source_labels=["a"],regex="(?i)foo.*",target_label="a",replacement="z")])
c([r(source_labels=["a"],regex="Foo",target_label="a",replacement="z")])
c([r(source_labels=["a"],regex="(F)(o)(o)-(B)(a)(r)\\.(\\d)",target_label="j",replacement="$7$6$5$4$3$2$1")])
c([r(source_labels=["a"],regex="(?P<first>\\w+)-(?P<second>\\w+)\\.\\d",target_label="j",replacement="${second}_$first")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="$1x")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="${1}x")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="$$1")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="$")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="a$-b")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="${1")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="$0|$2|$1")])
c([r(source_labels=["env"],regex="(.*)",target_label="${1}_label",replacement="on")])
c([r(source_labels=["env"],regex="(p)rod",target_label="l_$1",replacement="on")])
c([r(source_labels=["b"],regex="(.*)",target_label="l_${1}",replacement="on")])
c([r(source_labels=["url"],regex="(https?)://([^/:]+)(:\\d+)?(/[^?]*)?(\\?.*)?",target_label="j",replacement="$1 $2 $3 $4 $5")])
c([r(source_labels=["url"],regex="https://(.+?)(/.*)",target_label="j",replacement="$1 and $2")])
c([r(source_labels=["url"],regex="https://(.+)(/.*)",target_label="j",replacement="$1 and $2")])
c([r(source_labels=["a"],regex="(a|Fo|Foo)(.*)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["a"],regex="(?:(Foo)|(Bar)).*",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(p|pr|pro)(o|od|d)?(.*)",target_label="j",replacement="[$1][$2][$3]")])
c([r(source_labels=["env"],regex="(p*)*(.*)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(a*)*(.*)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(a*)+(.*)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(a|b*)*(.*)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(p|r|o|d)*",target_label="j",replacement="[$1]")])
c([r(source_labels=["env"],regex="(.){2}(.{2,3})",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(.{1,3}?)(.{1,3})",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(?U)(.+)(.+)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="(.+)??(.*)",target_label="j",replacement="[$1][$2]")])
c([r(source_labels=["env"],regex="^prod$",target_label="j",replacement="yes")])
c([r(source_labels=["env"],regex="\\Aprod\\z",target_label="j",replacement="yes")])
c([r(source_labels=["b"],regex="x\\by",target_label="j",replacement="yes")])
c([r(source_labels=["b"],regex="x\\b y",target_label="j",replacement="yes")])
c([r(source_labels=["b"],regex="x\\s[[:alpha:]]",target_label="j",replacement="yes")])
c([r(source_labels=["b"],regex="[^[:^alpha:]] .",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="[A-Z][^\\W]+[-.][\\w.]+",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="\\QFoo-Bar.\\E9",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="Foo\\x2dBar\\x{2e}9",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="Foo\\055Bar.9",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="(?i:FOO)-(?-i:Bar).9",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="(?i:FOO-)bar.9",target_label="j",replacement="yes")])
c([r(source_labels=["a"],regex="x{,3}",target_label="j",replacement="yes")],{"a":"x{,3}"})
c([r(source_labels=["a"],regex="[]a]+",target_label="j",replacement="yes")],{"a":"]a]"})
c([r(source_labels=["a"],regex="[a-]+",target_label="j",replacement="yes")],{"a":"a-a"})
c([r(source_labels=["a"],regex="(.)(.*)",target_label="j",replacement="$2$1")],{"a":"éa日本"})
c([r(source_labels=["a"],regex="[à-ÿ]+",target_label="j",replacement="yes")],{"a":"éè"})
c([r(source_labels=["a"],regex="",target_label="j",replacement="yes")])
c([r(source_labels=["nothing"],regex="",target_label="j",replacement="yes")])
# keep, drop
c([r(source_labels=["env"],regex="prod|live",action="keep")]+copy)
c([r(source_labels=["env"],regex="test",action="keep")]+copy)
c([r(source_labels=["env"],regex="pro",action="drop")]+copy)
c([r(source_labels=["env"],regex="pro.",action="drop")]+copy)
c([r(source_labels=["nothing"],regex="",action="drop")])
c([r(source_labels=["nothing"],regex=".+",action="keep")])
c([r(source_labels=["env","a"],regex="prod;Foo.*",action="KEEP")]+copy)
# equal
c([r(source_labels=["env"],target_label="stage",action="keepequal")]+copy,{"env":"p","stage":"p"})
c([r(source_labels=["env"],target_label="stage",action="keepequal")]+copy,{"env":"p","stage":"q"})
c([r(source_labels=["env"],target_label="stage",action="dropequal")]+copy,{"env":"p","stage":"p"})
c([r(source_labels=["env"],target_label="stage",action="dropequal")]+copy,{"env":"p","stage":"q"})
c([r(source_labels=["env","x"],target_label="stage",action="keepequal")]+copy,{"env":"p","x":"q","stage":"p;q"})
c([r(source_labels=["none"],target_label="none2",action="keepequal")]+copy)
# hashmod
for m in (2,7,1000,18446744073709551615): c([r(source_labels=[A],modulus=m,target_label="shard",action="hashmod")])
c([r(source_labels=["a","b"],separator="/",modulus=97,target_label="shard",action="hashmod")])
c([r(source_labels=[A],modulus=3,target_label="__tmp",action="hashmod"),r(source_labels=["__tmp"],regex="1",action="keep")]+copy)
# labelmap, drop, keep
c([r(regex="e(.*)",replacement="x_$1",action="labelmap")])
c([r(regex="(.*)",replacement="x_$1",action="labelmap")])
c([r(regex="__param_(.+)",action="labelmap")])
c([r(regex="a|b",replacement="same",action="labelmap")])
c([r(regex="env",action="labeldrop")])
c([r(regex="e.*|u.l",action="labeldrop")])
c([r(regex="__.*|job|instance|a",action="labelkeep")])
c([r(regex="(?i)ENV|__.*",action="labelkeep")])
# case
c([r(source_labels=["a"],target_label="a",action="lowercase")])
c([r(source_labels=["a","env"],target_label="j",action="uppercase")])
c([r(source_labels=["a"],target_label="a",action="uppercase")],{"a":"éß"})
# the usual, and addresses of probes
usual=[r(source_labels=[A],target_label=T),r(source_labels=[T],target_label="instance"),r(target_label=A,replacement="exporter:9115")]
c(usual,{}, "https://shop.example/")
c([r(source_labels=["__module"],target_label="__param_module")]+usual,{"__module":"icmp"},"gw.example")
c([r(source_labels=[A],regex="(.*);(.*)",target_label="__param_module",replacement="$2"),r(source_labels=[A],regex="(.*);(.*)",target_label=T,replacement="$1"),r(target_label=A,replacement="e:9115")],{}, "shop.example;web")
c([r(source_labels=[A],regex="(.*)/(.*)",target_label="job",replacement="$2")]+usual,{},"shop.example/x")
c([r(source_labels=[A],regex="(.+)",target_label=T,replacement="https://$1/health"),r(source_labels=["env"],regex="prod",target_label="__metrics_path__",replacement="/other/probe")])
c([r(source_labels=["env"],target_label="__scheme__",regex="prod",replacement="https")]+copy)
c([r(source_labels=[T],regex="(?:https?://)?([^:/]+).*",target_label="host")],{"__param_target":"https://a.example:1/"})
c([r(source_labels=["a"],target_label="b"),r(source_labels=["b"],target_label="env"),r(regex="a",action="labeldrop")])
c([r(source_labels=["a"],regex="(.*)",target_label="j",replacement="$1$1"),r(source_labels=["j"],target_label="j",replacement="$1$1")])
# refused
for rules in ([r(source_labels=["a"],regex="(",target_label="j")],[r(source_labels=["a"],regex="a**",target_label="j")],[r(source_labels=["a"],regex="\\1",target_label="j")],[r(source_labels=["a"],regex="(?=a)",target_label="j")],[r(source_labels=["a"],regex="a{1001}",target_label="j")],[r(source_labels=["a"],action="replace")],[r(source_labels=["a"],target_label="1",action="lowercase")],[r(source_labels=["a"],target_label="j",action="hashmod")],[r(action="nonsense")],[r(source_labels=["a"],regex="[z-a]",target_label="j")],[r(source_labels=["a"],regex="\\y",target_label="j")],[r(source_labels=["a"],regex="(?<n>a)(?P<n>b)",target_label="j")]):
    c(rules)


def config(numbered):
    return {"scrape_configs": [
        {"job_name": f"c{number}", "metrics_path": "/probe", "params": {"module": ["m"]}, "scrape_interval": "1h",
         "static_configs": [{"targets": [case["address"]], "labels": case["labels"]}], "relabel_configs": case["rules"]}
        for number, case in numbered]}


def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file, ensure_ascii=False)


def targets(expected):
    for _ in range(60):
        time.sleep(1)
        try:
            with urllib.request.urlopen("http://127.0.0.1:19090/api/v1/targets?state=any") as answer:
                found = json.load(answer)["data"]
        except OSError:
            continue
        if len(found["activeTargets"]) + len(found["droppedTargets"]) >= expected:
            return found["activeTargets"]
    sys.exit("Prometheus does not have all targets")


with tempfile.TemporaryDirectory() as folder:
    taken = []
    for number, case in enumerate(cases):
        write(f"{folder}/one.yml", config([(number, case)]))
        check = subprocess.run(["promtool", "check", "config", f"{folder}/one.yml"], capture_output=True)
        case["made"] = "refused" if check.returncode else "dropped"
        if not check.returncode:
            taken.append((number, case))
    write(f"{folder}/all.yml", config(taken))
    server = subprocess.Popen([
        "prometheus", f"--config.file={folder}/all.yml", f"--storage.tsdb.path={folder}/data",
        "--web.listen-address=127.0.0.1:19090", "--log.level=error"])
    try:
        active = targets(len(taken))
    finally:
        server.terminate()
        server.wait()
for target in active:
    url = urllib.parse.urlsplit(target["scrapeUrl"])
    query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
    cases[int(target["scrapePool"][1:])]["made"] = {
        "labels": target["labels"],
        "url": {"scheme": url.scheme, "path": url.path, **{name: values[0] for name, values in query.items()}}}
with open(sys.argv[1], "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n")
