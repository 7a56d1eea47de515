"""Reads exports with other programs' libraries and compares each with the rows of the JSONL export.

  readback.py READER DIR

DIR holds the crawl (crawl/), its rows (pages.jsonl, indexed.jsonl) and the same in other forms. Exits with 77
where the reader is not installed.
"""

import datetime
import importlib.util
import io
import json
import pathlib
import sys


def rows(name):
    return [json.loads(line) for line in (root / name).read_text("utf-8").splitlines()]


def plain(value):
    """A value as JSON has it; times as instants, for they are written with more or fewer digits."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def same(name, read, wanted):
    assert len(read) == len(wanted), (name, len(read), len(wanted))
    read = {row["url"]: row for row in read}
    for row in wanted:
        for column, value in row.items():
            found = plain(read[row["url"]][column])
            if isinstance(value, (list, dict)) and isinstance(found, str):
                found = json.loads(found)
            if isinstance(found, datetime.datetime):
                value = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
            if isinstance(value, float):
                assert abs(found - value) <= 1e-6 * max(1, abs(value)), (name, column, found, value)
            else:
                assert found == value, (name, row["url"], column, found, value)


def pyarrow():
    import pyarrow.dataset as dataset
    import pyarrow.parquet as parquet

    for name in ["pages", "indexed"]:
        file = parquet.ParquetFile(root / f"{name}.parquet")
        wanted = rows(f"{name}.jsonl")
        assert set(file.schema_arrow.names) == {column for row in wanted for column in row}, file.schema_arrow.names
        same(name, file.read().to_pylist(), wanted)
        about = file.metadata
        for group in range(about.num_row_groups):
            for column in range(about.num_columns):
                assert about.row_group(group).column(column).compression == "ZSTD"
            hosts = file.read_row_group(group, ["host"])["host"].to_pylist()
            assert hosts == sorted(hosts), hosts
    whole = dataset.dataset(root / "set/data")
    same("dataset", whole.to_table().to_pylist(), rows("indexed.jsonl"))


def duckdb():
    import duckdb

    for name in ["pages", "indexed"]:
        wanted = {}
        for row in rows(f"{name}.jsonl"):
            count, words = wanted.get(row["host"], (0, 0))
            wanted[row["host"]] = (count + 1, words + (row["words"] or 0))
        for file in [f"read_parquet('{root}/{name}.parquet')", f"read_json_auto('{root}/{name}.jsonl')"]:
            asked = f"SELECT host, count(*), coalesce(sum(words), 0) FROM {file} GROUP BY host"
            found = {host: (count, int(words)) for host, count, words in duckdb.sql(asked).fetchall()}
            assert found == wanted, (file, found, wanted)
    asked = f"SELECT count(DISTINCT url), year(min(fetched_at)) FROM read_parquet('{root}/set/data/*.parquet')"
    kept = rows("indexed.jsonl")
    first = min(row["fetched_at"] for row in kept)
    assert duckdb.sql(asked).fetchall() == [(len(kept), int(first[:4]))]


def yaml():
    import yaml

    wanted = {row["url"]: row for row in rows("indexed.jsonl")}
    files = sorted((root / "texts").rglob("*.md"))
    assert len(files) == len(wanted), (len(files), len(wanted))
    for file in files:
        _, head, text = file.read_text("utf-8").split("---\n", 2)
        head = yaml.safe_load(head)
        row = wanted.pop(head["url"])
        assert head["title"] == row["title"], (head, row)
        words = "".join(text.split())
        for paragraph in row["text"].split("\n\n"):
            if paragraph.isascii():
                assert "".join(paragraph.split()) in words.replace("\\", ""), (file, paragraph)
    assert not wanted, wanted


def warcio():
    from warcio.archiveiterator import ArchiveIterator

    wanted = {row["url"]: row["text"] for row in rows("indexed.jsonl")}
    with open(root / "texts.warc.wet.gz", "rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            if record.rec_type == "conversion":
                url = record.rec_headers.get_header("WARC-Target-URI")
                text = record.raw_stream.read().decode("utf-8")
                assert text.strip() == wanted.pop(url).strip(), url
    assert not wanted, wanted


def pywb():
    from pywb.indexer.cdxindexer import write_cdx_index
    from pywb.warcserver.index.cdxobject import CDXObject

    def captures(lines):
        found = {}
        for line in lines:
            about = CDXObject(line.rstrip(b"\n"))
            place = (about["filename"], about["offset"])
            keys = ["urlkey", "timestamp", "url", "mime", "status", "digest", "length"]
            found[place] = [about.get(key) for key in keys]
        return found

    ours = (root / "index.cdxj").read_bytes().splitlines()
    assert ours == sorted(ours)
    ours = captures(ours)
    theirs = {}
    for file in sorted((root / "crawl/archive").glob("[0-9]*.warc.gz")):
        if ".meta." not in file.name:
            out = io.BytesIO()
            with open(file, "rb") as stream:
                write_cdx_index(out, stream, file.name, cdxj=True, include_all=True)
            theirs |= captures(line for line in out.getvalue().splitlines() if line and not line.startswith(b" CDX"))
    wanted = {row["url"] for row in rows("pages.jsonl") if row["warc_file"]}
    assert {capture[2] for capture in ours.values()} == wanted
    for place, capture in ours.items():
        assert theirs[place] == capture, (place, capture, theirs.get(place))


root = pathlib.Path(sys.argv[2])
reader = sys.argv[1]
if importlib.util.find_spec(reader) is None:
    sys.exit(77)
globals()[reader]()
print(reader, "agrees")
