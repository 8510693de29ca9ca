import gzip, hmac, json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY_BYTES = 16 * 1024 * 1024
SECRET = os.environ.get("SIGNING_SECRET") or sys.exit("SIGNING_SECRET is not set")

def verifies(secret, header, body):
    t, *signatures = header.split(",")
    if not re.fullmatch("t=[0-9]{1,12}", t):
        return False
    t = t[2:]
    if abs(int(time.time()) - int(t)) > 300:
        return False
    expected = "v1=" + hmac.new(secret.encode(), t.encode() + b"." + body, "sha256").hexdigest()
    return any(hmac.compare_digest(s.encode(), expected.encode()) for s in signatures)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        length = int(length) if re.fullmatch("[0-9]{1,12}", length) else 0
        body = self.rfile.read(min(length, MAX_BODY_BYTES))
        genuine = verifies(SECRET, self.headers.get("x-service-signature", ""), body)
        self.send_response(204 if genuine else 400)  # store the body before you answer 204
        self.end_headers()
        if genuine and self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if genuine:
            print("verified", json.loads(body)["data"]["id"], flush=True)

server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
