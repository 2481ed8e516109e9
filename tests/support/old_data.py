"""Data directories that earlier versions wrote, kept as archives; and how they were made.

    python -m tests.support.old_data COMMIT      (in a clone that has COMMIT)

- An archive is what ``citator index build`` of that commit left for one small history of ours,
  and the vectors where it made some. The history is built again, byte for byte, by whoever opens
  the archive.
- It names no place: the directory of the repository and the path in its description are written
  for the machine that unpacks it, as every version that is kept here named them.
- Its secret and its token are not secret: both are letters.
- The same code and the same packages write the same archive, but for what an engine names at
  random.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from tests.support.builder import Builder

ROOT: Final = Path(__file__).parents[2]
KEPT: Final = ROOT / "tests" / "data"
PLACE: Final = "place"
NOWHERE: Final = "@COMMON_DIR@"
DESCRIPTION: Final = f"{PLACE}/repository.json"
SECRET: Final = b"k" * 32
TOKEN: Final = b"t" * 43 + b"\n"

# What wrote each archive: the last commit before the directory had a format, and one whose
# records had another version.
RELEASES: Final = ("613a3a2", "4f6a0b5")
QUESTION: Final = "why does the gauge sleep between readings?"
FILL: Final = """
import sys
from pathlib import Path
from citator.service.legs import fill_vectors
from citator.service.workspace import Places, Workspace
start, data, config = map(Path, sys.argv[1:])
assert fill_vectors(Workspace.open(start, Places(data, config))) == 0
"""


def history(folder: Path) -> Builder:
    """A history of four commits that say why, and one page."""
    builder = Builder.init(folder)
    builder.write("gauge.py", "PERIOD = 1\n")
    builder.commit(
        "Read the tide gauge once a second\n\n"
        "The harbour asked for the peak of each wave, which a minute's mean had hidden."
    )
    builder.write("gauge.py", "PERIOD = 1\nSLEEP = True\n")
    builder.commit(
        "Let the gauge sleep between readings\n\n"
        "Its battery lasted nine days instead of ninety, because the sensor stayed awake."
    )
    builder.write("gauge.py", "PERIOD = 5\n")
    builder.commit(
        "Remove the switch that kept a gauge awake\n\n"
        "Nobody set it on purpose: two harbours had it on because a form came with it, and both\n"
        "asked for new batteries within the month. A gauge that must not sleep needs a mains "
        "line,\n"
        "and then its period is what matters."
    )
    builder.write("docs/power.md", "# Power\n\nA gauge lives on one battery for a season.\n")
    builder.commit(
        "Write down what power a gauge may draw\n\n"
        "Two suppliers asked, since the data sheet contradicts itself."
    )
    return builder


def unpack(release: str, data: Path, common_dir: Path) -> Path:
    """The data directory of ``release`` at ``data``, for the clone at ``common_dir``; its place."""
    with tarfile.open(KEPT / f"data-{release}.tar.gz") as archive:
        archive.extractall(data, filter="data")
    for folder, _, names in os.walk(data):
        Path(folder).chmod(0o700)
        for name in names:
            Path(folder, name).chmod(0o600)
    described = data / DESCRIPTION
    said = json.loads(described.read_bytes())
    assert said["common_dir"] == NOWHERE
    said["common_dir"] = str(common_dir)
    described.write_text(json.dumps(said, indent=1) + "\n")
    digest = hashlib.sha256(os.fsencode(common_dir)).hexdigest()
    place = data / f"{said['repository'][:16]}-{digest[:12]}"
    return (data / PLACE).rename(place)


def pack(commit: str) -> Path:
    """Make the archive of ``commit``; where it is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(source.stdout)) as archive:
            archive.extractall(folder, filter="data")
        history(folder / "repo")
        data = folder / "data"
        environment = os.environ | {
            "PYTHONPATH": str(folder / "src"),
            "CITATOR_DATA_DIR": str(data),
            "CITATOR_CONFIG_DIR": str(folder / "config"),
        }
        command = [sys.executable, "-P", "-m", "citator", "index", "build"]
        subprocess.run([*command, "--root", folder / "repo"], env=environment, check=True)
        given = [str(folder / "repo"), str(data), str(folder / "config")]
        filling = [sys.executable, "-P", "-c", FILL, *given]
        subprocess.run(filling, env=environment, check=True)
        (data / "secret").write_bytes(SECRET)
        (data / "http-token").write_bytes(TOKEN)
        return _archived(data, KEPT / f"data-{commit}.tar.gz", os.fsencode(folder))


def _archived(data: Path, target: Path, machine: bytes) -> Path:
    place = next(path for path in data.iterdir() if path.is_dir() and (path / "derived").is_dir())
    place = place.rename(data / PLACE)
    said = json.loads((data / DESCRIPTION).read_bytes()) | {"common_dir": NOWHERE}
    (data / DESCRIPTION).write_text(json.dumps(said, indent=1) + "\n")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(data.rglob("*")):
            shared = path.relative_to(data).parts[0] == "shared"
            if path.is_file() and not shared and not path.name.endswith("lock"):
                content = path.read_bytes()
                assert machine not in content, path
                entry = tarfile.TarInfo(path.relative_to(data).as_posix())
                entry.size, entry.mode = len(content), 0o600
                archive.addfile(entry, io.BytesIO(content))
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return target


if __name__ == "__main__":
    for written in sys.argv[1:]:
        print(pack(written))
