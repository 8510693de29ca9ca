"""A LangChain loader for a workspace's transcripts, and a vector store that follows them:

python3 langchain_transcripts.py             brings transcripts-store.json up to date
python3 langchain_transcripts.py QUESTION    also searches it
"""

import json
import os
import re
import sys
import zlib

import requests
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

FILE = "transcripts-store.json"
CHUNK_CHARACTERS = 1000


class TranscriptLoader(BaseLoader):
    """Loads conversations in chunks, which have the capture's id in their metadata."""

    def __init__(self, base_url, api_key):
        self.api = f"{base_url}/api/v1"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {api_key}"
        retries = Retry(total=7, backoff_factor=1, status_forcelist=[429, 500, 502, 503, 504])
        self.session.mount(base_url, HTTPAdapter(max_retries=retries))

    def lazy_load(self):
        """All conversations as they are now."""
        for documents, _, _ in self.follow("captures"):
            yield from documents

    def follow(self, feed, cursor=None):
        """Yields, for each page, the chunks of new or changed captures, the ids of erased ones, and the cursor behind them."""
        more = True
        while more:
            response = self.session.get(f"{self.api}/{feed}", params={"limit": 100, "after": cursor}, timeout=60)
            response.raise_for_status()
            page = response.json()
            cursor = page["pageInfo"]["endCursor"] or cursor
            more = page["pageInfo"]["hasNextPage"]
            captures = page["captures"] if feed == "captures" else [change["capture"] for change in page["changes"]]
            erased = [entry["id"] for entry, capture in zip(page[feed], captures) if not capture]
            yield [chunk for capture in captures if capture for chunk in chunks(capture)], erased, cursor


def chunks(capture):
    """At least one: the indexing API replaces the chunks of captures that it sees."""
    metadata = {"capture": capture["id"], "title": capture["title"], "started_at": capture["started_at"]}
    yield Document(f"{capture['title']}\n{capture['summary'] or ''}".strip(), metadata={**metadata, "start_ms": 0})
    text, start = "", 0
    for segment in capture["segments"]:
        line = f"{segment['speaker'] or 'Unknown speaker'}: {segment['text']}\n"
        if text and len(text) + len(line) > CHUNK_CHARACTERS:
            yield Document(text, metadata={**metadata, "start_ms": start})
            text = ""
        start = start if text else segment["start_ms"]
        text += line
    if text:
        yield Document(text, metadata={**metadata, "start_ms": start})


class HashedWords(Embeddings):
    """Finds words, not meanings, and needs no model. Put yours in its place."""

    def embed_query(self, text):
        vector = [1e-6] * 1021
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % 1021] += 1
        return vector

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def sync(loader, store, records, cursors):
    for feed in ("captures", "changes"):  # in this order: what is read and changes meanwhile is replaced, too
        for documents, erased, cursor in loader.follow(feed, cursors.get(feed)):
            index(
                documents, records, store,
                cleanup="incremental", source_id_key="capture", key_encoder="sha256")
            for id in erased:
                keys = records.list_keys(group_ids=[id])
                store.delete(keys)
                records.delete_keys(keys)
            cursors[feed] = cursor  # with a vector database, store it here; never before the page


def load():
    store, records = InMemoryVectorStore(HashedWords()), InMemoryRecordManager("transcripts")
    if not os.path.exists(FILE):
        return store, records, {}
    with open(FILE) as file:
        saved = json.load(file)
    store.store.update(saved["store"])
    records.records.update(saved["records"])
    return store, records, saved["cursors"]


def save(store, records, cursors):
    """The vectors, the keys of each capture and the cursors, or none of them."""
    with open(f"{FILE}.new", "w") as file:
        json.dump({"store": store.store, "records": records.records, "cursors": cursors}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{FILE}.new", FILE)


if __name__ == "__main__":
    os.umask(0o077)  # files only for whoever runs this
    store, records, cursors = load()
    sync(TranscriptLoader(os.environ["BASE_URL"], os.environ["API_KEY"]), store, records, cursors)
    save(store, records, cursors)
    if len(sys.argv) > 1:
        for document, score in store.similarity_search_with_score(sys.argv[1], k=5):
            print(f"{score:.2f} {document.metadata['capture']} {document.metadata['title']}")
            print(document.page_content, end="\n\n")
