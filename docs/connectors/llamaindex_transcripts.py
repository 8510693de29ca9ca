"""A LlamaIndex reader for a workspace's transcripts, and an index that follows them:

python3 llamaindex_transcripts.py             brings transcripts-index.json up to date
python3 llamaindex_transcripts.py QUESTION    also searches it
"""

import json
import os
import re
import sys
import zlib

import requests
from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.readers.base import BaseReader
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

FILE = "transcripts-index.json"


class TranscriptReader(BaseReader):
    """Reads conversations as documents, whose ids are those of the captures."""

    def __init__(self, base_url, api_key):
        self.api = f"{base_url}/api/v1"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {api_key}"
        retries = Retry(total=7, backoff_factor=1, status_forcelist=[429, 500, 502, 503, 504])
        self.session.mount(base_url, HTTPAdapter(max_retries=retries))

    def lazy_load_data(self):
        """All conversations as they are now."""
        for documents, _, _ in self.follow("captures"):
            yield from documents

    def follow(self, feed, cursor=None):
        """Yields, for each page, the new or changed documents, the ids of erased ones, and the cursor behind them."""
        more = True
        while more:
            response = self.session.get(f"{self.api}/{feed}", params={"limit": 100, "after": cursor}, timeout=60)
            response.raise_for_status()
            page = response.json()
            cursor = page["pageInfo"]["endCursor"] or cursor
            more = page["pageInfo"]["hasNextPage"]
            captures = page["captures"] if feed == "captures" else [change["capture"] for change in page["changes"]]
            erased = [entry["id"] for entry, capture in zip(page[feed], captures) if not capture]
            yield [document(capture) for capture in captures if capture], erased, cursor


def document(capture):
    speakers = [participant["name"] or participant["label"] for participant in capture["participants"]]
    return Document(
        id_=capture["id"],
        text=capture["transcript_text"],
        metadata={  # part of every chunk, so no long texts
            "title": capture["title"][:200],
            "started_at": capture["started_at"],
            "speakers": ", ".join(speakers)[:400],
        })


class HashedWords(BaseEmbedding):
    """Finds words, not meanings, and needs no model. Put yours in its place."""

    def _get_text_embedding(self, text):
        vector = [1e-6] * 1021
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % 1021] += 1
        return vector

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return self._get_query_embedding(query)


def sync(reader, index, cursors):
    for feed in ("captures", "changes"):  # in this order: what is read and changes meanwhile is replaced, too
        for documents, erased, cursor in reader.follow(feed, cursors.get(feed)):
            index.refresh_ref_docs(documents)
            for id in erased:
                index.delete_ref_doc(id, delete_from_docstore=True)
            cursors[feed] = cursor  # with a vector database, store it here; never before the page


def load():
    embedding = HashedWords()
    if not os.path.exists(FILE):
        return VectorStoreIndex([], embed_model=embedding), {}
    with open(FILE) as file:
        saved = json.load(file)
    storage = StorageContext.from_dict(saved["storage"])
    return load_index_from_storage(storage, embed_model=embedding), saved["cursors"]


def save(index, cursors):
    """The index and its cursors, or neither."""
    with open(f"{FILE}.new", "w") as file:
        json.dump({"storage": index.storage_context.to_dict(), "cursors": cursors}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{FILE}.new", FILE)


if __name__ == "__main__":
    os.umask(0o077)  # files only for whoever runs this
    index, cursors = load()
    sync(TranscriptReader(os.environ["BASE_URL"], os.environ["API_KEY"]), index, cursors)
    save(index, cursors)
    if len(sys.argv) > 1:
        for found in index.as_retriever(similarity_top_k=5).retrieve(sys.argv[1]):
            print(f"{found.score:.2f} {found.node.ref_doc_id} {found.node.metadata['title']}")
            print(found.node.text, end="\n\n")
