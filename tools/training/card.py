"""Prints the tables of a model card from what evaluate.py --json wrote: python3 card.py STUDENT.json [TEACHER.json]"""
import json
import sys

from evaluate import failures

NAMES = {"left": "pan left", "right": "pan right", "up": "pan up", "down": "pan down", "in": "zoom in", "out": "zoom out",
         "roll_left": "rotate left", "roll_right": "rotate right", "wave_x": "wave sideways", "wave_y": "wave up and down",
         "drift_left": "drift left", "drift_right": "drift right"}

OF_THINGS = {"left": "moves left", "up": "moves up", "in": "grows", "out": "shrinks", "roll_left": "rotates left"}


def read(path):
    with open(path) as f:
        return json.load(f)


def beside(student, teacher):
    columns = ("correct", "strength", "spread")
    print("\n| verb | " + " | ".join(f"{c}, teacher | student" for c in columns) + " |\n" + "|---" * 7 + "|")
    for verb, mine in student["verbs"].items():
        theirs = teacher["verbs"][verb]
        print(f"| {NAMES.get(verb, verb)} | " + " | ".join(f"{theirs[c]:.2f} | {mine[c]:.2f}" for c in columns) + " |")


def main():
    report = read(sys.argv[1])
    short = {line.split(":")[0] for line in failures(report)}
    print("| verb | clips | correct | on true fields | wrong prompt | strength | spread | all bounds |")
    print("|---|---|---|---|---|---|---|---|")
    for verb, r in report["verbs"].items():
        print(f"| {NAMES.get(verb, verb)} | {r['clips']} | {r['correct']:.2f} | {r['ceiling']:.2f} | {r['wrong']:.3f} "
              f"| {r['strength']:.2f} | {r['spread']:.2f} | {'no' if verb in short else 'yes'} |")
    print("\n| with a matte | clips | correct | on true fields |\n|---|---|---|---|")
    for verb, r in report.get("regions", {}).items():
        name = OF_THINGS.get(verb, NAMES.get(verb, verb))
        print(f"| {name} | {r['clips']} | {r['correct']:.2f} | {r['ceiling']:.2f} |")
    content = report.get("content", {})
    print("\nDependence on content, mean correlation with the truth over pairs of pictures (in brackets what other draws of the truth reach): "
          + ", ".join(f"{name} {r['correlation']:.2f} ({r['ceiling']:.2f})" for name, r in content.items()) + ".")
    if len(sys.argv) > 2:
        beside(report, read(sys.argv[2]))


if __name__ == "__main__":
    main()
