/**
 * `/console/`: the web console, and `/docs`: the API reference, as `npm run build` made them. Their
 * Content-Security-Policy lets the browser load from and ask this server only. They decide themselves which page a path
 * below them shows.
 */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';

const BUILT = new URL('../../../console/dist/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Bongsu console</title></head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the directory of bongsu, then load this page again.</p>
<p>The API document is at <a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`;

/** The build puts a hash into the names of these files, so a file never changes under its name. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** `showPage`: the console, for an address below it that is no valid escape, which no route takes. */
interface ConsolePages {
  readonly showPage: (reply: FastifyReply, name?: string) => Promise<FastifyReply>;
}

export function consoleRoutes(app: FastifyInstance, built: URL = BUILT): ConsolePages {
  app.get('/', (request, reply) => {
    // Browsers are redirected to the console; programs get a 404.
    const isPerson = request.headers.accept?.includes('text/html') ?? false;
    return isPerson ? reply.redirect('/console/') : reply.callNotFound();
  });
  app.get('/console', (request, reply) =>
    /^\/console(\?|$)/.test(request.url) ? reply.redirect('/console/') : showPage(reply),
  );
  app.get<{ Params: { '*': string } }>('/console/*', async (request, reply) => {
    const name = request.params['*'];
    const content = await read(name);
    if (!content) return showPage(reply);
    const caching = name.startsWith('assets/') ? FOR_EVER : 'no-cache';
    return show(reply, TYPES[extname(name)] ?? 'application/octet-stream', content, caching);
  });

  app.get('/docs', (_request, reply) => showPage(reply, 'docs.html'));
  app.get('/docs/*', (_request, reply) => showPage(reply, 'docs.html'));
  return { showPage };

  async function showPage(reply: FastifyReply, name = 'index.html'): Promise<FastifyReply> {
    return show(reply, TYPES['.html'] ?? '', (await read(name)) ?? NOT_BUILT, 'no-cache');
  }

  /** A file of the build; undefined for anything else, also for paths that lead out of the directory. */
  async function read(name: string): Promise<Buffer | undefined> {
    const isName = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(name) && extname(name) in TYPES;
    if (!isName) return undefined;
    try {
      return await readFile(new URL(name, built));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }
}

function show(reply: FastifyReply, type: string, body: string | Buffer, caching: string): FastifyReply {
  // Browsers heed it only where the page came by TLS.
  if (reply.request.protocol === 'https') reply.header('strict-transport-security', 'max-age=63072000');
  return reply
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('content-type', type)
    .header('cache-control', caching)
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .send(body);
}
