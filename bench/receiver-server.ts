/**
 * Takes records by webhook. Prints its port; a line "count" on standard input is answered with how many keys it has seen, and
 * "keys" with all of them.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

const keys = new Set<string>();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const key = /"msgKey":"(\w+)"/.exec(Buffer.concat(chunks).toString('latin1'))?.[1];
    if (key !== undefined) keys.add(key);
    response.writeHead(200, { 'content-length': 0 });
    response.end();
  });
});
createInterface({ input: process.stdin }).on('line', line => {
  process.stdout.write(`${line === 'keys' ? [...keys].join(' ') : keys.size}\n`);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
