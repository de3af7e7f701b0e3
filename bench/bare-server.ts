/** The yardstick: node:http that parses the same body and answers with the same envelope, and does nothing else. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let count = 0;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const { ref } = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
    const msgKey = String(count++).padStart(32, '0');
    const body = JSON.stringify({ code: 'A000', result: 'Success', msgKey, ref });
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
