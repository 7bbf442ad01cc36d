"""What was seen: cases, answers of each check, refusals by their sort, findings with the files that reproduce them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .trial import Answer, Case


@dataclass
class Finding:
    """A failure, the model of its case, and the smallest model that fails in the same way."""

    seed: int
    number: int
    answer: Answer
    smallest: Case

    def said(self, file: Path | None) -> str:
        head = f"FINDING seed {self.seed} case {self.number}, check {self.answer.check}: {self.answer.kind}"
        again = f"python -m bench.fuzz --seed {self.seed} --case {self.number}"
        at = f" or --file {file} --check {self.answer.check} --case {self.number}" if file else ""
        return f"{head}\n{_indented(self.answer.text)}\n  again: {again}{at}\n{_indented(self.smallest.text)}"

    def row(self, file: Path | None) -> dict[str, Any]:
        said = {"seed": self.seed, "case": self.number, "check": self.answer.check, "finding": self.answer.kind}
        return {**said, "text": self.answer.text, "file": str(file) if file else None, "model": self.smallest.text}


def _indented(text: str) -> str:
    return "\n".join(f"    {x}" for x in text.rstrip().splitlines())


@dataclass
class Tally:
    """Counts over all cases; findings are written to a folder as soon as they are there, so that an interruption loses
    none."""

    seed: int
    folder: Path
    as_json: bool = False
    cases: int = 0
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, answers: list[Answer]) -> None:
        self.cases += 1
        for a in answers:
            self.answers[a.check, "finding" if a.is_finding else a.kind] += 1
            if a.kind == "refused":
                self.refusals[f"{a.check}: {a.sort.removeprefix('refused: ')}"] += 1

    def report(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"seed{finding.seed}_case{finding.number}_{finding.answer.check.split()[0]}.yaml"
        file.write_text(finding.smallest.text, encoding="utf-8")
        print(json.dumps(finding.row(file)) if self.as_json else finding.said(file), flush=True)

    def summary(self) -> None:
        total = Counter(kind for (_, kind), n in self.answers.items() for _ in range(n))
        if self.as_json:
            by_check = {
                c: {k: n for (d, k), n in self.answers.items() if d == c}
                for c in dict.fromkeys(c for c, _ in self.answers)
            }
            print(
                json.dumps(
                    {
                        "cases": self.cases,
                        **total,
                        "findings": len(self.findings),
                        "checks": by_check,
                        "refusals": self.refusals,
                    }
                )
            )
            return
        print(
            f"\n{self.cases} cases from seed {self.seed}: {total['passed']} answers agree, {total['refused']} refused, {len(self.findings)} findings"
        )
        print(f"{'check':24s}{'passed':>8s}{'refused':>9s}{'findings':>10s}")
        for check in dict.fromkeys(c for c, _ in self.answers):
            counts = (self.answers[check, k] for k in ("passed", "refused", "finding"))
            print("{:24s}{:8d}{:9d}{:10d}".format(check, *counts))
        for sort, n in self.refusals.most_common(25):
            print(f"{n:6d} refused  {sort}")
