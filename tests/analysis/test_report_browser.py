"""Reports in a real browser: nothing from outside, no errors, tables sort, series hide, themes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from simcards import compare, report, run, sweep, tournament

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((found for name in BROWSERS if (found := shutil.which(name))), None)
# Where everything must be tested a browser that is missing is a failure, not a skip.
REQUIRED = os.environ.get("SIMCARDS_BROWSER") == "required"

pytestmark = pytest.mark.skipif(
    BROWSER is None and not REQUIRED, reason="there is no Chromium to look at pages with"
)

# Looks at the page it stands in, uses it, and tells whoever shows it.
PROBE = """
<script>
addEventListener("load", () => {
  const told = { width: innerWidth, page: document.documentElement.scrollWidth };
  told.loaded = performance.getEntriesByType("resource").map((one) => one.name);
  told.paper = getComputedStyle(document.body).backgroundColor;
  told.ink = getComputedStyle(document.querySelector(".drawing text")).fill;
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  told.twice = ids.filter((one, at) => ids.indexOf(one) !== at);
  told.broken = [...document.querySelectorAll("nav a")]
    .filter((one) => !document.querySelector(one.hash)).length;
  told.drawings = [...document.querySelectorAll(".drawing svg")]
    .map((one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height]);
  told.outside = [];
  for (const drawing of document.querySelectorAll(".drawing svg")) {
    const box = drawing.getBoundingClientRect();
    for (const text of drawing.querySelectorAll("text")) {
      const at = text.getBoundingClientRect();
      if (at.left < box.left - 3 || at.right > box.right + 3) told.outside.push(text.textContent);
    }
  }
  const column = (table, at) => [...table.tBodies[0].rows]
    .map((row) => row.cells[at].dataset.value).filter((one) => one).map(Number);
  const [table, at] = [...document.querySelectorAll("table")]
    .flatMap((one) => [...one.tHead.rows[0].cells].map((_, number) => [one, number]))
    .find(([one, number]) => new Set(column(one, number)).size > 3);
  const sort = table.tHead.rows[0].cells[at].querySelector("button");
  const values = () => column(table, at);
  sort.click();
  told.up = values();
  sort.click();
  told.down = values();
  const series = document.querySelector(".series button");
  if (series) {
    const figure = series.closest("figure");
    const parts = () => [...figure.querySelectorAll('[id*="-series-0-"]')]
      .map((one) => getComputedStyle(one).display);
    told.before = parts();
    series.click();
    told.after = parts();
    series.click();
    told.again = parts();
  }
  parent.postMessage(JSON.stringify(told), "*");
});
</script>
"""
FRAME = """<!doctype html><body>
<iframe src="probed.html" style="width: %dpx; height: 900px"></iframe>
<pre id="told"></pre><script>
addEventListener("message", (one) => {
  document.getElementById("told").textContent = one.data;
});
</script></body>"""


def browse(folder: Path, page: str, *options: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None, "SIMCARDS_BROWSER=required, but there is no Chromium"
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={folder / 'profile'}",
        *options,
        (folder / page).as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of each kind."""
    folder = tmp_path_factory.mktemp("reports")
    deals = {"n": 2000, "seed": 5}
    run("aces", rules={"match": "hand"}, out=folder / "run", **deals)
    compare("thirteen", "control", "structure", out=folder / "comparison", **deals)
    compare("thirteen", "lockout=on", "lockout=off", out=folder / "rules", **deals)
    vary = {"rounds": [1, 2, 3], "players": [2, 3]}
    sweep("horner", vary, out=folder / "sweep", **deals)
    tournament("thirteen", ["lowest", "shed", "control"], n=1200, seed=5, out=folder / "tournament")
    return {path.name: report(path) for path in sorted(folder.iterdir())}


@pytest.fixture
def looked_at(reports: dict[str, Path], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def look(kind: str, width: int, *options: str) -> dict[str, Any]:
        text = reports[kind].read_text(encoding="utf-8")
        probed = text.replace("</body>", PROBE + "</body>")
        assert probed != text
        (tmp_path / "probed.html").write_text(probed, encoding="utf-8")
        (tmp_path / "frame.html").write_text(FRAME % width, encoding="utf-8")
        done = browse(
            tmp_path,
            "frame.html",
            f"--window-size={width + 100},1000",
            "--virtual-time-budget=5000",
            "--enable-logging=stderr",
            "--dump-dom",
            *options,
        )
        assert "CONSOLE" not in done.stderr, done.stderr
        found = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found and found[1], done.stdout[-2000:]
        told: dict[str, Any] = json.loads(unescape(found[1]))
        return told

    return look


KINDS = ("run", "comparison", "rules", "sweep", "tournament")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [360, 1000])
def test_pages_work(looked_at: Callable[..., dict[str, Any]], kind: str, width: int) -> None:
    told = looked_at(kind, width)
    assert told["loaded"] == []
    assert told["twice"] == []
    assert told["broken"] == 0
    assert told["page"] <= told["width"] <= width, "the page itself never scrolls sideways"
    assert len(told["drawings"]) >= 4
    for wide, high in told["drawings"]:
        assert wide >= 500 and high > 100
    assert told["outside"] == [], "words of a chart that are cut off"
    assert len(set(told["up"])) > 1
    assert told["up"] == sorted(told["up"])
    assert told["down"] == sorted(told["down"], reverse=True)
    if kind in ("rules", "sweep"):
        assert "none" not in told["before"] and told["before"]
        assert set(told["after"]) == {"none"}
        assert told["again"] == told["before"]


def test_dark_and_light(looked_at: Callable[..., dict[str, Any]]) -> None:
    light, dark = (
        looked_at("run", 800, f"--blink-settings=preferredColorScheme={scheme}")
        for scheme in (1, 0)
    )
    assert light["paper"] == "rgb(255, 255, 255)"
    assert sum(map(int, re.findall(r"\d+", dark["paper"]))) < 150
    # What is written in charts follows the page.
    assert sum(map(int, re.findall(r"\d+", light["ink"]))) < 150
    assert sum(map(int, re.findall(r"\d+", dark["ink"]))) > 600


def test_prints(reports: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(reports["sweep"].read_bytes())
    target = tmp_path / "page.pdf"
    browse(tmp_path, "page.html", f"--print-to-pdf={target}", "--no-pdf-header-footer")
    data = target.read_bytes()
    assert data.startswith(b"%PDF")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", data))
    assert 4 <= pages <= 30


def test_a_probe_can_fail(
    looked_at: Callable[..., dict[str, Any]], reports: dict[str, Path]
) -> None:
    text = reports["run"].read_text(encoding="utf-8")
    reports["broken"] = reports["run"].with_name("broken.html")
    broken = text.replace("</main>", '<img src="https://example.org/x.png" alt=""></main>')
    reports["broken"].write_text(broken, encoding="utf-8")
    with pytest.raises(AssertionError, match="CONSOLE"):
        looked_at("broken", 800)
