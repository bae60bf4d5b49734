#!/usr/bin/env python3
"""Measures sinew beside other runtimes and writes docs/PERFORMANCE.md.

    SINEW_SHARED=... [SINEW_NODE=...] bench/performance.py [--milliseconds N] [--rounds N] [--rows FILE] [--sizes FILE]

SINEW_NODE is where three is installed; without it three.js is left out. `--rows` and `--sizes` write the page from
rows that were measured before. On a machine that does nothing else, built before, this takes some minutes.
"""
import argparse
import datetime
import json
import re
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "bench/peers"
YARDSTICK = "copy 48 B within L1, no aliasing"
# What goals are stated for: the time of the yardstick, nanoseconds.
STATED = 0.4
BINARY = Path(os.environ.get("CARGO_TARGET_DIR", PEERS / "target")) / "release/sinew-peers"


def lines(command, **more):
    run = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=True, **more)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def load():
    return os.getloadavg()


def measure(options):
    effort = ["--rounds", options.rounds, "--milliseconds", options.milliseconds]
    before = load()
    rows = lines([PEERS / "run.sh", *effort])
    for row in rows:
        row["load"] = [before[0], load()[0]]
    return rows


class Table:
    """Rows by what they are of."""

    def __init__(self, rows):
        self.rows = rows

    def find(self, peer, what, clip=None, characters=None, backend=None):
        for row in self.rows:
            if (row["peer"] == peer and row["what"] == what and row.get("clip") == clip
                    and (characters is None or row.get("characters") == characters)
                    and (backend is None or row["version"].endswith(backend))):
                return row
        return None

    def ns(self, *args, **kwargs):
        row = self.find(*args, **kwargs)
        return row and row["ns_per_joint"]

    def a_moving_track(self, clip, backend):
        """Nanoseconds of a whole sample for each track stored at every frame."""
        row = self.find("sinew", "sample, 1 clip", clip, None, backend)
        tracks = row and re.search(r"(\d+) of \d+ tracks", row["built"])
        return row and tracks and row["ns_per_joint"] * row["joints"] / int(tracks[1])


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return out + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows] + [""]


def goals(t, sizes):
    copy = t.ns("machine", YARDSTICK)
    scale = copy / STATED
    best = t.find("sinew", "sample, 1 clip", "syn87")["version"].split(", ")[1]
    sinew = lambda what, clip="syn87", n=None: t.ns("sinew", what, clip, n, best)
    crowd = sinew("clips to model matrices, 2 clips blended", "syn67", 10000)
    crowd = crowd and crowd * 67 * 10_000 / 1e6
    stated = [
        ("sample, forward", 2.5, sinew("sample, 1 clip"), "ns/joint"),
        ("sample, random times", 2.5, sinew("sample, 1 clip, random times"), "ns/joint"),
        ("sample + sample + blend, one after the other", 5.0, sinew("sample + sample + blend, 2 clips blended"), "ns/joint"),
        ("blend 4 masked layers on top", 2.5, sinew("blend 4 masked layers on top"), "ns/joint"),
        ("model matrices, one character", 3.9, sinew("model matrices, one character"), "ns/joint"),
        ("model matrices, eight in lanes", 2.0, sinew("model matrices, eight characters in lanes"), "ns/joint"),
        ("10,000 characters of 67 joints, 2 clips, model matrices written", 7.0, crowd, "ms"),
    ]
    rows = []
    for what, goal, value, unit in stated:
        scaled = goal * scale
        met = "-" if value is None else "yes" if value <= scaled else f"**no**, {value / scaled:.2f}x"
        rows.append([what, f"{goal:g} {unit}", f"{scaled:.2f}", number(value), met])
    for what, named, goal, unit, by in (
            ("two-bone IK, eight limbs at a time", "two-bone IK, eight at a time: ozz's stated 169 ns / 15", 169 / 15, "ns a limb", 1.0),
            ("leg of four segments, its tilt searched", "leg of four segments, its tilt searched (double precision)", 15.0, "us a leg", 1e3),
            ("leg of four segments, its tilt searched, eight at a time", "leg of four segments, its tilt searched, eight at a time", 15.0, "us a leg", 1e3)):
        row = next((r for r in t.rows if r["peer"] == "sinew" and r["what"] == what), None)
        if row:
            value = row["ns_per_joint"] / by
            met = "yes" if value <= goal else f"**no**, {value / goal:.2f}x"
            rows.append([named, f"{goal:.3g} {unit}", "as stated", number(value), met])
    dense, still = (t.a_moving_track(clip, best) for clip in ("syn87", "m2m_fox_still"))
    if dense and still:
        met = "yes" if still <= 1.25 * dense else f"**no**, {still / dense:.1f}x"
        rows.append(["still clip: time a moving track", "the dense clip's", f"{dense:.1f} ns", f"{still:.1f} ns", met])
    for kind in ("CMU", "Knight"):
        part = [r for r in sizes if r["set"] == kind]
        if part:
            acl, own = (sum(r[k] for r in part) for k in ("acl_bytes", "bytes"))
            under = sum(r["bytes"] <= r["acl_bytes"] for r in part)
            each = f"{under} of {len(part)} clips at most ACL's"
            met = f"**no**, {own / acl:.3f}x" if own > acl else "yes" if under == len(part) else "in all, **not clip by clip**"
            rows.append([f"{kind}: bytes in memory, all clips", f"ACL's {acl:,}", "", f"{own:,}; {each}", met])
            stored = sum(r["stored_bytes"] for r in part)
            met = "yes" if stored * 1.2 <= acl else f"**no**, {stored * 1.2 / acl:.3f}x"
            rows.append([f"{kind}: bytes on disk", f"ACL's / 1.2 = {acl / 1.2:,.0f}", "", f"{stored:,}", met])
    return copy, best, rows


def page(rows, sizes, kept):
    t = Table(rows)
    clips = list(dict.fromkeys(r["clip"] for r in rows if r.get("clip") and r["peer"] == "sinew"))
    copy, best, goal_rows = goals(t, sizes)
    machine = t.find("machine", YARDSTICK)["version"]
    loads = [r["load"] for r in rows if "load" in r]
    busy = f"{min(l[0] for l in loads):.1f} before, {max(l[1] for l in loads):.1f} after" if loads else "not recorded"
    quiet = loads and max(l[0] for l in loads) < 0.5 and max(l[1] for l in loads) < 1.5
    provisional = [] if quiet else ["", "**Provisional: the machine had other work. To be measured again when it is quiet.**"]
    disturbed = max(r["worst_round"] / r["ns_per_joint"] for r in rows if r["peer"] == "sinew" and r["ns_per_joint"])
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
    versions = ", ".join(dict.fromkeys(
        f"{r['peer']} {r['version']}" for r in rows if r["peer"] not in ("machine", "sinew")))
    out = ["# How fast, how small, how exact", "",
           "Written by `bench/performance.py`; " + (
               "from rows and sizes that were measured before, not in one run with each other."
               if kept else "every number is of one run on one machine. Compare ratios, not times."),
           *provisional, "", "## Machine and method", "",
           f"- {machine}, {os.cpu_count()} logical processors, {platform.system()} {platform.machine()};"
           f" {datetime.date.today().isoformat()}",
           f"- {rustc}, `opt-level = 3`, `lto = \"fat\"`, `codegen-units = 1`, no target flags: kernels choose AVX2 or"
           " SSE2 when they run. No FMA: all backends give the same bits",
           f"- beside it: {versions or 'nothing'}",
           f"- load average {busy}; the worst round of a sinew row took up to {disturbed:.1f} times as long as the"
           " best. Times of a busy machine say little",
           "- one core. A number is the median batch of the least disturbed round, nanoseconds a joint",
           f"- yardstick: copying 48 bytes within L1 takes {copy:.3f} ns here; goals are stated for {STATED} ns and"
           f" scaled by {copy / STATED:.2f}", "",
           "```sh", "SINEW_SHARED=... SINEW_NODE=... bench/performance.py", "```", "",
           "`SINEW_SHARED` is the folder of characters, `SINEW_NODE` a folder where `npm install three` was run.",
           "[bench/peers/README.md](../bench/peers/README.md) says what each row is.", "",
           "## Goals", "", f"On the dense clip of 87 joints, {best}, hot caches.", ""]
    out += table(["what", "goal", "goal, scaled", "measured", "met"], goal_rows)

    out += ["## Beside other runtimes", "",
            "32 characters, from clips to model matrices: `app.update()` of a headless Bevy, `AnimationMixer` and"
            " `updateMatrixWorld` of three.js, one `CrowdJob` of sinew. ns/joint, and how many times as long the other"
            " takes.", ""]
    compared = []
    for clip in clips:
        for kind in ("1 clip", "1 clip, random times", "2 clips blended"):
            own = t.ns("sinew", f"clips to model matrices, {kind}", clip, 32, best)
            if own is None:
                continue
            line = [clip, kind, number(own)]
            for peer, what in (("bevy_animation", "app.update()"), ("three.js", "update + updateMatrixWorld")):
                other = t.ns(peer, f"{what}, {kind}", clip, 32)
                line.append("-" if other is None else f"{other:.0f} ({other / own:.0f}x)")
            compared.append(line)
    out += table(["clip", "what", "sinew", "bevy_animation", "three.js"], compared)

    out += ["## Every clip", "", f"ns/joint, {best}. `m2m_fox_still` is the one that hardly moves. Cold: 512 copies of"
            " the clip met one after the other, 64 MB read in between.", ""]
    whats = ["sample, 1 clip", "sample, 1 clip, random times", "sample, 1 clip, random times, cold",
             "sample + sample + blend, 2 clips blended", "sample + sample + blend, 2 clips blended, random times",
             "blend 2 poses", "blend 4 masked layers on top", "model matrices, one character",
             "model matrices, two characters a pass", "model matrices, eight characters in lanes",
             "palette, 3x4, 48 B", "palette, compact, 20 B", "palette, within a box, 16 B",
             "clips to model matrices, 1 clip", "clips to model matrices, 2 clips blended"]
    out += table(["what", *clips], [[w, *(number(t.ns("sinew", w, c, None, best)) for c in clips)] for w in whats])

    out += ["The error of what was timed, the largest distance from the exact evaluation in double precision as a"
            " share of the character's size, at joints and at a tenth of that size from them:", ""]
    exact = []
    for clip in clips:
        row = t.find("sinew", "sample, 1 clip", clip)
        line = [clip, row["joints"], row["moving_channels"], row["built"]]
        for peer, what in (("sinew", "sample, 1 clip"), ("bevy_animation", "app.update(), 1 clip"),
                           ("three.js", "update + updateMatrixWorld, 1 clip")):
            found = t.find(peer, what, clip)
            line.append(f"{found['max_difference']:.1e}" if found else "-")
        exact.append(line)
    out += table(["clip", "joints", "moving channels", "compressed to", "sinew", "bevy_animation", "three.js"], exact)

    backends = list(dict.fromkeys(r["version"].split(", ")[1] for r in rows if r["peer"] == "sinew"))
    out += ["## Backends", "", "`syn87`, ns/joint; the crowd is `syn67`. The same bits from each.", ""]
    body = []
    for what in ("sample, 1 clip", "sample, 1 clip, random times", "sample + sample + blend, 2 clips blended",
                 "blend 4 masked layers on top", "model matrices, one character",
                 "model matrices, eight characters in lanes"):
        body.append([what, *(number(t.ns("sinew", what, "syn87", None, b)) for b in backends)])
    what = "clips to model matrices, 2 clips blended"
    body.append(["10,000 characters, " + what,
                 *(number(t.ns("sinew", what, "syn67", 10000, b)) for b in backends)])
    out += table(["what", *backends], body)

    out += ["## What copying costs here", "", "Whoever poses a joint writes it somewhere.", ""]
    out += table(["48 bytes a joint", "ns"], [[r["what"], number(r["ns_per_joint"], 3)]
                                              for r in rows if r["peer"] == "machine"])

    if sizes:
        out += ["## Size", "", "Each clip built with ACL's largest error of that clip as its bound (ACL 2.1, default"
                " settings); Knight resampled at 30 Hz for both. Errors are measured in model space at 3 cm, at the"
                " source's keys and between them. On disk: entropy-coded.", ""]
        total = []
        for kind in ("CMU", "Knight"):
            part = [r for r in sizes if r["set"] == kind]
            raw, acl, own, stored = (sum(r[k] for r in part) for k in ("raw_bytes", "acl_bytes", "bytes", "stored_bytes"))
            total.append([f"{kind}, {len(part)} clips", f"{acl:,} ({raw / acl:.2f}:1)", f"{own:,} ({raw / own:.2f}:1)",
                          f"{own / acl:.3f}", sum(r["bytes"] <= r["acl_bytes"] for r in part),
                          f"{stored:,} ({raw / stored:.2f}:1)", f"{acl / stored:.2f}x"])
        out += table(["set", "ACL", "sinew, in memory", "sinew / ACL", "clips at most ACL's size", "sinew, on disk",
                      "smaller than ACL"], total)
        out += table(["clip", "frames", "error mm, ACL", "error mm, sinew", "bytes, ACL", "bytes, sinew",
                      "sinew / ACL", "on disk"],
                     [[r["size"], r["frames"], f"{r['acl_error_mm']:.3f}", f"{r['error_mm']:.3f}",
                       f"{r['acl_bytes']:,}", f"{r['bytes']:,}", f"{r['bytes'] / r['acl_bytes']:.3f}",
                       f"{r['stored_bytes']:,}"] for r in sizes])
    return "\n".join(out).rstrip() + "\n"


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--rounds", default="5")
    parse.add_argument("--milliseconds", default="60")
    parse.add_argument("--rows", type=Path, help="rows measured before, one JSON object a line")
    parse.add_argument("--sizes", type=Path, help="sizes measured before, one JSON object a line")
    parse.add_argument("--out", type=Path, default=ROOT / "docs/PERFORMANCE.md")
    options = parse.parse_args()
    read = lambda path: [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]
    if "SINEW_SHARED" not in os.environ and not (options.rows and options.sizes):
        sys.exit("SINEW_SHARED names the folder of characters")
    rows = read(options.rows) if options.rows else measure(options)
    sizes = read(options.sizes) if options.sizes else lines([BINARY, "--sizes"])
    sizes.sort(key=lambda r: r["size"])
    options.out.write_text(page(rows, sizes, bool(options.rows or options.sizes)))
    print(f"{options.out} written")


main()
