# SPDX-License-Identifier: MIT
"""What this project promises of its figures: each promise is one entry of PROMISES, judged, printed, written and
compared here and nowhere else. A Book holds what a run measured of them."""

import contextlib
import datetime
import json
import pathlib
import statistics
import subprocess
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"


class Promise(NamedTuple):
    name: str
    limit: float
    unit: str
    at_least: bool = False
    # The program that measures it; all but "run" are programs of their own, too long for every run.
    by: str = "Benchmarks/run"
    # The same on every machine: a ratio of two programs side by side, or a size. Times and memory are not.
    portable: bool = False

    def is_met(self, measured):
        return measured >= self.limit if self.at_least else measured <= self.limit

    @property
    def words(self):
        return f"{'at least' if self.at_least else 'at most'} {figure(self.limit, self.unit)}"


def ratio(name, limit):
    return Promise(name, limit, "", portable=True)


def beyond(kind):
    return Promise(f"CPU beyond the probe, {kind}, 1,000 results a second", 60, "us")


def wire(phase):
    return Promise(f"{phase} against the wire, median error", 0.5, "ms")


def beside(kind, share, limit):
    return Promise(f"{kind}, {share}: what 1,000 neighbours add", limit, "ms")


def busy(kind):
    return Promise(f"{kind} against the wire, both cores busy, error p99", 0.1, "ms")


# The order is that of the table. Ratios have no unit, counts neither.
PROMISES = {
    "http-c": ratio("CPU an http probe, to C, curl_multi", 1.25),
    "http-blackbox": ratio("CPU an http probe, to blackbox_exporter", 0.125),
    "https-unverified": ratio("CPU an https probe, to the same unverified", 1.1),
    "https-wrk": ratio("CPU an https probe, to wrk, unverified", 1.4),
    "tcp-c": ratio("CPU a tcp probe, to C, epoll", 2),
    "tcp-blackbox": ratio("CPU a tcp probe, to blackbox_exporter", 0.1),
    "dns-dnsperf": ratio("CPU a dns probe, to dnsperf", 4),
    "burst-http-p50": Promise("error of the time, 500 http at once, p50", 4, "ms"),
    "burst-http-p99": Promise("error of the time, 500 http at once, p99", 10, "ms"),
    "burst-https": ratio("the same, https, p50, to blackbox_exporter", 0.25),
    "verdicts-alone": Promise("false verdicts, 1,000 http + 1,000 https at once", 0, ""),
    "verdicts-busy": Promise("the same beside two busy processes", 0, ""),
    "wire-connect": wire("connect"),
    "wire-tls": wire("tls"),
    "wire-first_byte": wire("first byte"),
    "wire-transfer": wire("transfer"),
    **{f"beside-{kind}-{share}": beside(kind, share, limit)
       for kind in ("tcp", "http", "ping", "dns") for share, limit in (("p50", 0.2), ("p99", 1))},
    "busy-ping": busy("ping"),
    "busy-dns": busy("dns"),
    "schedule-late": Promise("schedule, 100,000 checks, lateness p99", 5, "ms"),
    "schedule-bytes": Promise("schedule, memory a check beside the list", 64, "B", portable=True),
    "spool-rate": Promise("store, append with group sync", 20_000, "/s", at_least=True),
    "spool-open": Promise("store, opening a full one", 2, "s"),
    "day-cpu": Promise("10,000 http at 10 s: CPU of one core", 18, "%"),
    "day-rss": Promise("10,000 http at 10 s: RSS after a day", 200, "MiB"),
    "full-rss": Promise("10,000 http at 10 s: RSS with 90 days full", 450, "MiB"),
    "day-late": Promise("10,000 http at 10 s: lateness p99", 5, "ms"),
    "day-missed": Promise("10,000 http at 10 s: missed slots", 0, ""),
    "windows": Promise("all four windows of 10,000 checks", 50, "ms"),
    "hundred-rss": Promise("100,000 tcp at 60 s: RSS", 300, "MiB"),
    "hundred-late": Promise("100,000 tcp at 60 s: lateness p99 from the start", 50, "ms"),
    "hundred-missed": Promise("100,000 tcp at 60 s: missed slots", 0, ""),
    "beyond-http": beyond("http"),
    "beyond-tcp": beyond("tcp"),
    "beyond-dns": beyond("dns"),
    "beyond-ping": beyond("ping"),
    "load-ten": Promise("loading 10,000 checks", 300, "ms"),
    "load-hundred": Promise("loading 100,000 checks", 3000, "ms"),
    "reload": Promise("reload of one changed check among 10,000", 100, "ms"),
    "reload-slots": Promise("slots missed, doubled or moved by that reload", 0, ""),
    "start": Promise("start to first probe, 100 checks at 1 s", 60, "ms"),
    "version": Promise("--version", 8, "ms"),
    "size": Promise("stripped size", 35, "MB", portable=True),
    "idle-server": Promise("RSS, 10 checks, status server on", 25, "MiB"),
    "idle": Promise("RSS, 10 checks, status server off", 18, "MiB"),
    "page-time": Promise("GET / with 500 checks, 1,000 probes a second: p99", 20, "ms"),
    "page-bytes": Promise("GET / with 500 checks, on the wire", 60, "kB", portable=True),
    "page-late": Promise("lateness p99 more with 32 streams, 1,000 idle", 1, "ms"),
    "hanging-late": Promise("500 beside 500 that hang: lateness p99", 250, "ms"),
    "hanging-missed": Promise("500 beside 500 that hang: missed slots", 0, ""),
    "hanging-down": Promise("500 beside 500 that hang: results not up", 0, ""),
    "soak-growth": Promise("growth over 1,000,000 results", 1, "MiB", by="Benchmarks/soak"),
    "soak-hostile": Promise("RSS after 100,000 hostile probes, beyond before", 5, "%", by="Benchmarks/soak"),
    "drain": Promise("backlog delivered within an hour", 250_000, "", at_least=True, by="Benchmarks/soak"),
}


class Book:
    """What was measured of the promises, by their keys: all rounds of each."""

    def __init__(self):
        self.rounds, self.whys = {}, {}

    def tell(self, key, *rounds, note=""):
        """Takes the rounds of a promise down, and prints its row: their median is what counts."""
        self.rounds[key] = [float(each) for each in rounds]
        promise, measured = PROMISES[key], self.measured(key)
        print(f"  {promise.name + ':':50}{figure(measured, promise.unit):>12}   {promise.words:20}"
              f"{'met' if promise.is_met(measured) else 'NOT MET'}{'   ' + note if note else ''}")

    def skip(self, why, *keys):
        """These cannot be measured here."""
        self.whys |= dict.fromkeys(keys, why)

    def measured(self, key):
        return statistics.median(self.rounds[key])

    def records(self):
        """One record a promise, also of those that were not measured."""
        return [self.record(key, promise) for key, promise in PROMISES.items()]

    def record(self, key, promise):
        record = {"key": key, "name": promise.name, "limit": promise.limit, "unit": promise.unit,
                  "at_least": promise.at_least}
        if key in self.rounds:
            measured = self.measured(key)
            return record | {"measured": measured, "met": promise.is_met(measured), "rounds": self.rounds[key]}
        why = self.whys.get(key) or ("not asked for" if promise.by == "Benchmarks/run" else f"see {promise.by}")
        return record | {"measured": None, "met": None, "why": why}

    @property
    def is_kept(self):
        """Whether everything that was measured is as promised."""
        return all(PROMISES[key].is_met(self.measured(key)) for key in self.rounds)

    @contextlib.contextmanager
    def closing(self, options, is_part=False):
        """Yields a dictionary for what else a run found, and ends the run: the file of --json, and the one table. A file
        of --compare is read first, so that a wrong one costs no minutes. The table of Benchmarks/run has every promise, also
        those of other programs; that of another program only what it measures, and of a part of the run what was asked."""
        before = read_records(options.compare, options.short) if options.compare else None
        report = {"short": options.short}
        yield report
        records = self.records()
        report["promises"] = [record for record in records if not is_part or record["key"] in self.rounds | self.whys]
        if options.json:
            options.json.write_text(json.dumps(report, indent=2) + "\n")
        if options.baseline:
            options.baseline.write_text(json.dumps(baseline(report), indent=2) + "\n")
        show_table(report["promises"], before)


def add_options(parser):
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write every single measurement")
    parser.add_argument("--compare", type=pathlib.Path, metavar="FILE", nargs="?", const=BASELINE,
                        help="an earlier --json, or a baseline, by default that of the repository: the last table has before, "
                             "now and their ratio, and marks what became worse by more than its rounds lie apart")
    parser.add_argument("--baseline", type=pathlib.Path, metavar="FILE", nargs="?", const=BASELINE,
                        help="also write what other machines may compare with: ratios and sizes, no times and no memory")


def baseline(report):
    """The figures of a run that hold on every machine, for the repository."""
    kept = [{key: record[key] for key in ("key", "measured", "rounds", "at_least")}
            for record in report["promises"] if record["measured"] is not None and PROMISES[record["key"]].portable]
    for record in kept:
        record["measured"] = round(record["measured"], 4)
        record["rounds"] = [round(each, 4) for each in record["rounds"]]
    done = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return {"short": report["short"], "commit": done.stdout.strip(), "made": f"{datetime.date.today()}", "promises": kept}


def read_records(path, short):
    """The records of an earlier run's --json, by key. It must be of the same form: the short one measures less."""
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} cannot be read: {error}") from None
    if "promises" not in report:
        raise SystemExit(f"{path} holds no promises: it was written by a Benchmarks/run of before, or by something else")
    if report.get("short") != short:
        raise SystemExit(f"{path} is of a run {'with' if report.get('short') else 'without'} --short, and this one is not: their "
                         "sizes differ")
    return {record["key"]: record for record in report["promises"]}


def spread(record):
    """How far the rounds lie apart; None where there was one."""
    rounds = record["rounds"]
    return max(rounds) - min(rounds) if len(rounds) > 1 else None


def trend(record, before):
    """What there is to say of a figure beside an earlier one. One round tells nothing of how it varies: a tenth of the
    figure stands in, and the word says so."""
    worse = (before["measured"] - record["measured"]) * (1 if record["at_least"] else -1)
    if worse <= 0:
        return ""
    known = [each for each in (spread(record), spread(before)) if each is not None]
    if not known:
        return "worse, 1 round" if worse > 0.1 * abs(before["measured"]) else ""
    return "WORSE" if worse > max(known) else ""


def show_table(records, before=None):
    """Every promise, met or not; beside an earlier run where one is given."""
    measured = [record for record in records if record["measured"] is not None]
    met = sum(record["met"] for record in measured)
    print(f"\nEvery promise: {met} met, {len(measured) - met} not met, {len(records) - len(measured)} not measured")
    if before is not None:
        print(f"  {'':50}{'before':>12}{'now':>12}{'ratio':>8}")
    for record in records:
        promise = Promise(record["name"], record["limit"], record["unit"], record["at_least"])
        then = (before or {}).get(record["key"])
        then = then if then and then["measured"] is not None else None
        line = f"  {promise.name:50}"
        if before is not None:
            line += f"{figure(then['measured'], promise.unit) if then else '–':>12}"
        if record["measured"] is None:
            print(f"{line}{'–':>12}{'' if before is None else '       –'}   {promise.words:20}not measured: {record['why']}")
            continue
        line += f"{figure(record['measured'], promise.unit):>12}"
        if before is not None:
            ratio = f"{record['measured'] / then['measured']:.2f}" if then and then["measured"] > 0 else "–"
            line += f"{ratio:>8}"
        line += f"   {promise.words:20}{'met' if record['met'] else 'NOT MET'}"
        mark = trend(record, then) if then else ""
        print(line + ("   " + mark if mark else ""))


def figure(value, unit):
    """Three digits are enough, and whole numbers stay whole."""
    places = 0 if value == int(value) or abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{places}f}{' ' + unit if unit else ''}"
