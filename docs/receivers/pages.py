import gzip, hmac, json, os, re, sqlite3, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY_BYTES = 16 * 1024 * 1024
SECRET = os.environ.get("SIGNING_SECRET") or sys.exit("SIGNING_SECRET is not set")
TEST = "7e57da7a-0000-4000-8000-000000000000"
FEEDS = {"captures.page": "captures", "changes.page": "changes"}

db = sqlite3.connect("captures.db", isolation_level=None, check_same_thread=False)
db.execute("create table if not exists captures (id text primary key, document text not null)")
db.execute("create table if not exists places (feed text primary key, cursor text)")
one_at_a_time = threading.Lock()

def verifies(secret, header, body):
    t, *signatures = header.split(",")
    if not re.fullmatch("t=[0-9]{1,12}", t):
        return False
    t = t[2:]
    if abs(int(time.time()) - int(t)) > 300:
        return False
    expected = "v1=" + hmac.new(secret.encode(), t.encode() + b"." + body, "sha256").hexdigest()
    return any(hmac.compare_digest(s.encode(), expected.encode()) for s in signatures)

def store(feed, page):
    """Returns the status to answer with."""
    end = page["pageInfo"]["endCursor"]
    with one_at_a_time, db:  # the documents and the cursor, or neither
        db.execute("begin immediate")
        (cursor,) = db.execute("select cursor from places where feed = ?", [feed]).fetchone() or (None,)
        if cursor == end:
            return 204  # stored before
        if cursor is not None and cursor != page["after"]:
            return 409  # a gap
        for entry in page[feed]:
            capture = entry["capture"] if feed == "changes" else entry
            if capture is None:  # erased
                db.execute("delete from captures where id = ?", [entry["id"]])
            else:
                db.execute(
                    "insert into captures values (?, ?) on conflict (id) do update set document = excluded.document",
                    [capture["id"], json.dumps(capture)])
        db.execute("insert or replace into places values (?, ?)", [feed, end])
    print("stored", len(page[feed]), feed, "up to", end, flush=True)
    return 204

def receive(webhook):
    if webhook["event"] in FEEDS:
        return store(FEEDS[webhook["event"]], webhook["data"])
    return 204 if webhook["data"]["id"] == TEST else 400

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        length = int(length) if re.fullmatch("[0-9]{1,12}", length) else 0
        body = self.rfile.read(min(length, MAX_BODY_BYTES))
        genuine = verifies(SECRET, self.headers.get("x-service-signature", ""), body)
        if genuine and self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.send_response(receive(json.loads(body)) if genuine else 401)
        self.end_headers()

server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
