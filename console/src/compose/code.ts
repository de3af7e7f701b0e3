/** The request in the composer as a curl command and as a TypeScript program. */
import type { SendRequest } from './draft.ts';

export function curlOf(url: string, path: string, body: unknown): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X POST ${url}${path} \\`,
    `  -H "Authorization: Bearer $TOKEN" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join('\n');
}

export function clientCodeOf(url: string, account: string, { kind, body }: SendRequest): string {
  const send =
    kind === 'omni'
      ? `const { destinations } = await client.sendOmni(${literal(body)});`
      : `const { msgKey } = await client.send('${kind}', ${literal(body)});`;
  return [
    `import { BongsuClient } from './bongsu-client.ts';`,
    '',
    'const client = new BongsuClient({',
    `  url: ${literal(url)},`,
    `  id: ${literal(account)},`,
    `  password: process.env.BONGSU_CLIENT_PASSWORD ?? '',`,
    '});',
    send,
  ].join('\n');
}

/** JSON as people write it in TypeScript: keys unquoted where possible. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}
