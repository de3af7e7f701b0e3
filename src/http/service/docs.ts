/**
 * `/openapi.json` and the page that shows it. The page works without the internet: its script and style come from
 * the npm package, and its Content-Security-Policy lets the browser ask this server only.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { apiDocument } from '../openapi/document.ts';

const ASSETS = {
  'swagger-ui-bundle.js': {
    url: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  'swagger-ui.css': {
    url: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
    type: 'text/css; charset=utf-8',
  },
} as const;

/** The script sets inline styles; icons are data URLs in the style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bongsu API: gateway and sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Without the validator, which is on the internet, and without configuration from the query. */
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  queryConfigEnabled: false,
  validatorUrl: null,
});
`;

export function docsRoutes(app: FastifyInstance, deps: { readonly headerPrefixes: readonly string[] }): void {
  const [prefix] = deps.headerPrefixes;
  let document: string | undefined;

  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(apiDocument(prefix));
    return show(reply, 'application/json', document);
  });
  app.get('/docs', (_request, reply) => show(reply, 'text/html; charset=utf-8', PAGE));
  app.get('/docs/start.js', (_request, reply) => show(reply, 'text/javascript; charset=utf-8', START));
  for (const [name, { url, type }] of Object.entries(ASSETS)) {
    app.get(`/docs/${name}`, async (_request, reply) =>
      show(reply, type, await readFile(fileURLToPath(url))),
    );
  }
}

function show(reply: FastifyReply, type: string, body: string | Buffer): FastifyReply {
  return reply
    .header('content-type', type)
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .send(body);
}
