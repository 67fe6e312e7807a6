#!/usr/bin/env python3
"""Writes docs/configuration.md, and the daemons' manual pages, from what the programs themselves say.

Flags come from each program's --help; the keys of a topology file from its reader, which names what is allowed when it
meets a key that it does not know. So neither can say anything else than the programs do.

  flags.py BIN                    writes docs/configuration.md
  flags.py --check BIN            exits 1 when it is not what would be written, or docs/topology.md misses a key
  flags.py --man VERSION BIN DIR  writes ringway-controller.8, ringway-router.8, ringway-worker.8
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "configuration.md"
DAEMONS = ["ringway-controller", "ringway-router", "ringway-worker"]

# A key that no reader knows, in every mapping of a topology file.
PROBE = """apiVersion: ringway/v1
kind: World
metadata: {name: x}
spec:
  zz: 1
  regions: [{zz: 1, name: a, coordinates: {zz: 1, latitudeDeg: 1, longitudeDeg: 1}}]
  rtt: {zz: 1, pairs: [{zz: 1}]}
  canary: {zz: 1}
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: t}
spec:
  zz: 1
  metrics: [{zz: 1}]
  rings: [{zz: 1}]
  regions: [{zz: 1}]
  residency: [{zz: 1}]
  guard: {zz: 1}
  scaling: {zz: 1}
  dispatch: {zz: 1, delay: {zz: 1}, backoff: {zz: 1}, retryBudget: {zz: 1}, spill: {zz: 1}}
"""
TIER_LINE = PROBE[:PROBE.index("kind: Tier")].count("\n") + 1


def flags_of(program):
    """(about, [(flag, value, default, text, group)]) of a program's --help."""
    text = subprocess.run([str(program), "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.splitlines()
    flags, group = [], ""
    for line in lines[1:]:
        heading = re.match(r"^(\S.*):$", line)
        found = re.match(r"^  (-\S+)((?: (?:[A-Z]+(?:=\S*)?|REQUIRED|\.\.\.|\(Env:\w+\)))*)(?:\s+(.*))?$", line)
        if heading:
            group = heading[1]
        elif found:
            words = found[2].split()
            typed = [word for word in words if word.partition("=")[0] in ("TEXT", "FLOAT", "INT", "UINT")]
            value, _, default = typed[0].partition("=") if typed else ("", "", "")
            environment = "".join(word for word in words if word.startswith("(Env:"))
            flags.append([found[1], value, "required" if "REQUIRED" in words else default,
                          (environment + " " + (found[3] or "")).strip(), group])
        elif flags and line.startswith("      "):
            flags[-1][3] = (flags[-1][3] + " " + line.strip()).strip()
    return lines[0], flags


def keys_of(ringway):
    """(kind, path, [key]) of every mapping of a topology file, in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(PROBE)
        file.flush()
        run = subprocess.run([str(ringway), "topology", "check", file.name, "--json"], capture_output=True, text=True)
    mappings = []
    for problem in json.loads(run.stdout)["problems"]:
        if '"zz"' in problem["found"]:
            kind = "World" if problem["line"] < TIER_LINE else "Tier"
            path = re.sub(r"\[\d+\]", "[]", problem["field"])
            mappings.append((kind, path, problem["allowed"].split(", ")))
    return sorted(mappings, key=lambda m: (m[0] != "World", m[1]))


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def page(bin_folder):
    out = ["# Configuration reference\n\nWritten by `tools/docs/flags.py` from the programs themselves; change them, then run "
           "it.\n\nThree places hold settings: the **topology file** says what the fleet is and how it is planned; **flags** "
           "say what\none process is and where it listens; `ringway threshold`, `mode`, `drain` and `pin` are **orders** that a "
           "controller\nkeeps in its state folder.\n\n## Flags\n"]
    for name in DAEMONS:
        about, flags = flags_of(bin_folder / name)
        out.append("\n### %s\n\n%s.\n\n| flag | default | meaning |\n|---|---|---|\n"
                   % (name, about.partition(": ")[2][:1].upper() + about.partition(": ")[2][1:]))
        for flag, value, default, text, group in flags:
            if flag.startswith("-h"):
                continue
            out.append("| `%s`%s | %s | %s%s |\n" % (flag, " " + value if value else "", cell(default), cell(text),
                                                     "" if group == "Options" else " (%s)" % group))
    out.append("\n### ringway\n\nEvery subcommand takes these, before or after it; its own stand in `ringway SUBCOMMAND "
               "--help`\nand in `man ringway-SUBCOMMAND`.\n\n| flag | default | meaning |\n|---|---|---|\n")
    for flag, value, default, text, group in flags_of(bin_folder / "ringway")[1]:
        if flag.startswith("--") and group == "Options":
            environment = re.match(r"\(Env:(\w+)\) ?(.*)", text)
            text = "%s; environment `%s`" % (environment[2], environment[1]) if environment else text
            out.append("| `%s`%s | %s | %s |\n" % (flag, " " + value if value else "", cell(default), cell(text)))
    out.append("\n## Keys of a topology file\n\nAll that the reader takes; anything else is refused with a suggestion. "
               "[docs/topology.md](topology.md)\ntells what each means, its default and its range.\n\n"
               "| kind | mapping | keys |\n|---|---|---|\n")
    for kind, path, keys in keys_of(bin_folder / "ringway"):
        out.append("| %s | `%s` | %s |\n" % (kind, path, ", ".join("`%s`" % key for key in keys)))
    return "".join(out)


def undocumented(bin_folder):
    text = (ROOT / "docs" / "topology.md").read_text()
    spelt = set(re.findall(r"`([\w.\[\]]+)`", text))
    known = {part for name in spelt for part in name.replace("[]", "").split(".")}
    return ["%s.%s" % (path, key) for _, path, keys in keys_of(bin_folder / "ringway") for key in keys
            if key not in known]


def roff(text):
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def manual(program, name, version):
    about, flags = flags_of(program)
    out = ['.TH "%s" 8 "" "ringway %s" "Ringway"\n.SH NAME\n%s \\- %s\n' % (name, version, roff(name),
                                                                            roff(about.partition(": ")[2])),
           ".SH SYNOPSIS\n.B %s\n[\\fIOPTION\\fR...]\n.SH OPTIONS\n" % roff(name)]
    for flag, value, default, text, _ in flags:
        out.append(".TP\n.B %s%s\n%s%s\n" % (roff(flag), " \\fI%s\\fR" % roff(value) if value else "", roff(text),
                                             roff(" [%s]" % default) if default else ""))
    out.append(".SH FILES\n/etc/ringway/*.env, /usr/share/doc/ringway/operating.md\n"
               ".SH SEE ALSO\n.BR ringway (1)\n")
    return "".join(out)


def main(arguments):
    if arguments[:1] == ["--man"]:
        version, bin_folder, folder = arguments[1], pathlib.Path(arguments[2]), pathlib.Path(arguments[3])
        folder.mkdir(parents=True, exist_ok=True)
        for name in DAEMONS:
            (folder / (name + ".8")).write_text(manual(bin_folder / name, name, version))
        return 0
    check = arguments[:1] == ["--check"]
    bin_folder = pathlib.Path(arguments[-1])
    text = page(bin_folder)
    if not check:
        PAGE.write_text(text)
        return 0
    missing = undocumented(bin_folder)
    if missing:
        print("docs/topology.md says nothing of: " + ", ".join(missing))
    if PAGE.read_text() != text:
        print("docs/configuration.md is not what tools/docs/flags.py writes; run it")
    return 1 if missing or PAGE.read_text() != text else 0


sys.exit(main(sys.argv[1:]))
