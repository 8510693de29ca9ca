import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const SECRET = process.env.SIGNING_SECRET;
if (!SECRET) throw new Error("SIGNING_SECRET is not set");

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

const server = createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const genuine = verifies(SECRET, request.headers["x-service-signature"] ?? "", body);
    response.writeHead(genuine ? 204 : 400).end(); // store the body before you answer 204
    if (!genuine) return;
    const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    console.log(`verified ${JSON.parse(text.toString()).data.id}`);
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`));
