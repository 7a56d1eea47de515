"""Reads WARC files with warcio, checks every digest, and counts records by type."""

import collections
import json
import sys

from warcio.archiveiterator import ArchiveIterator

counts = collections.Counter()
ids = set()
for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        first = True
        for record in ArchiveIterator(stream, check_digests="raise"):
            headers = record.rec_headers
            assert first == (record.rec_type == "warcinfo"), (path, record.rec_type)
            first = False
            assert record.format == "warc"
            assert headers.get_header("WARC-Record-ID") not in ids
            ids.add(headers.get_header("WARC-Record-ID"))
            assert headers.get_header("WARC-Date").endswith("Z")
            payload = record.raw_stream.read()
            if record.rec_type == "metadata":
                assert json.loads(payload)["seq"] > 0
            if record.rec_type == "response":
                assert record.http_headers.get_statuscode() == "200"
                assert headers.get_header("WARC-Payload-Digest").startswith("sha1:")
            if record.rec_type == "revisit":
                assert headers.get_header("WARC-Refers-To") in ids
                assert headers.get_header("WARC-Refers-To-Target-URI")
            if record.rec_type == "conversion":
                payload.decode("utf-8")
            counts[record.rec_type] += 1
for name in sorted(counts):
    print(name, counts[name])
