import { createHmac, timingSafeEqual } from "node:crypto";
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const SECRET = process.env.SIGNING_SECRET;
if (!SECRET) throw new Error("SIGNING_SECRET is not set");
const TEST = "7e57da7a-0000-4000-8000-000000000000";
const FEEDS = { "captures.page": "captures", "changes.page": "changes" };
const NONE = "-";

const pages = openSync("pages.jsonl", "a");
const folder = openSync(".", "r");
const stored = existsSync("pages.place") ? readFileSync("pages.place", "utf8").split(" ") : ["0"];
let place = { bytes: Number(stored[0]), captures: stored[1] ?? NONE, changes: stored[2] ?? NONE };

function verifies(secret, header, body) {
  const [time, ...signatures] = header.split(",");
  if (!/^t=[0-9]{1,12}$/.test(time)) return false;
  const t = time.slice(2);
  if (Math.abs(Math.floor(Date.now() / 1000) - Number(t)) > 300) return false;
  const expected = Buffer.from("v1=" + createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex"));
  return signatures
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}

/** Appends the page, then renames the place into effect: both or neither. Returns the status to answer with. */
function store(feed, page) {
  const end = page.pageInfo.endCursor;
  if (end === place[feed]) return 204; // stored before
  if (place[feed] !== NONE && page.after !== place[feed]) return 409; // a gap
  const line = Buffer.from(JSON.stringify(page) + "\n");
  ftruncateSync(pages, place.bytes); // a page that was not finished
  writeFileSync(pages, line);
  fsyncSync(pages);
  const next = { ...place, bytes: place.bytes + line.length, [feed]: end };
  const fresh = openSync("pages.new", "w");
  writeFileSync(fresh, `${next.bytes} ${next.captures} ${next.changes}`);
  fsyncSync(fresh);
  closeSync(fresh);
  renameSync("pages.new", "pages.place");
  fsyncSync(folder);
  place = next;
  console.log(`stored ${page[feed].length} ${feed} up to ${end}`);
  return 204;
}

function receive(webhook) {
  const feed = FEEDS[webhook.event];
  if (feed) return store(feed, webhook.data);
  return webhook.data.id === TEST ? 204 : 400;
}

function status(headers, body) {
  try {
    if (!verifies(SECRET, headers["x-service-signature"] ?? "", body)) return 401;
    const text = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    return receive(JSON.parse(text.toString()));
  } catch (failure) {
    console.error(failure); // a full disk, for example
    return 503;
  }
}

const server = createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on("end", () =>
    response.writeHead(status(request.headers, Buffer.concat(chunks))).end());
});
server.listen(Number(process.argv[2]), "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`));
