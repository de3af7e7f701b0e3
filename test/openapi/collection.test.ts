import assert from 'node:assert/strict';
import test from 'node:test';
import { postmanCollection } from '../../tools/postman-collection.ts';
import { ADMIN_TOKEN } from '../harness/credentials.ts';
import { testAccount, WEBHOOK_ON_LOOPBACK } from '../harness/gateway.ts';

interface Item {
  readonly name: string;
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly url: { readonly raw: string; readonly variable?: readonly { key: string; value: string }[] };
    readonly header: readonly { key: string; value: string; disabled?: boolean }[];
    readonly auth?: { readonly type: string; readonly bearer?: readonly { readonly value: string }[] };
    readonly body?: { readonly mode: string; readonly raw?: string };
  };
}

interface Collection {
  readonly auth: { readonly bearer: readonly { readonly value: string }[] };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

/** The examples name a form, a batch, files and carriers that only a gateway with a history has; and events never end. */
const NEEDS_HISTORY =
  /:formId|:reportId|:msgKey|:moId|:inboundKey|:requestId|:resvKey|:operatorId|:deliveryId|:sessionId|:node|:optOutId|invitations\/accept$|v1\/file\/|files\/|data-keys\/reseal|carriers\/:carrier|optout\/calls|v1\/session$|v1\/events$/;

test('the ready collection works from top to bottom, once id and passwords are filled in', async t => {
  const { gateway } = await testAccount(t, { settings: WEBHOOK_ON_LOOPBACK });
  const collection = postmanCollection() as Collection;
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  for (const name of ['baseUrl', 'clientId', 'clientPassword', 'token']) assert.ok(variables.has(name), name);
  variables.set('baseUrl', '').set('clientId', 'shop').set('clientPassword', 'correct horse battery staple');
  variables.set('adminToken', ADMIN_TOKEN);
  const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables.get(name) ?? '');

  let sent = 0;
  for (const { name, event, request } of collection.item.flatMap(folder => folder.item)) {
    const { url, header, body, method, auth } = request;
    if (NEEDS_HISTORY.test(url.raw) || url.raw.endsWith('/metrics')) continue;
    // The requests that follow need it.
    if (method === 'DELETE' && url.raw.endsWith('accounts/:id')) continue;
    const bearer = (auth ?? collection.auth).bearer?.[0]?.value;
    const inPath = Object.fromEntries((url.variable ?? []).map(({ key, value }) => [key, value]));
    const answer = await gateway.request(
      method,
      fill(url.raw).replaceAll(/:(\w+)/g, (_, key) => inPath[key] ?? ''),
      {
        headers: {
          ...Object.fromEntries(
            header.filter(each => !each.disabled).map(({ key, value }) => [key, fill(value)]),
          ),
          ...(bearer !== undefined && { authorization: `Bearer ${fill(bearer)}` }),
          ...(body?.mode === 'raw' && { 'content-type': 'application/json' }),
        },
        ...(body?.raw !== undefined && { body: body.raw }),
      },
    );
    // A file has no code.
    assert.equal(
      answer.body?.code ?? String(answer.status),
      answer.body ? 'A000' : '200',
      `${name}: ${answer.text}`,
    );
    if (event) runScript(event[0]?.script.exec ?? [], answer.body, variables);
    sent += 1;
  }
  assert.ok(sent > 20);
});

/** Runs a request's script with the little of Postman that it uses. */
function runScript(lines: readonly string[], body: unknown, variables: Map<string, string>): void {
  const pm = {
    response: { json: () => body },
    collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
  };
  new Function('pm', lines.join('\n'))(pm);
}
