/** An account that has one of everything, and what it has as it sees it itself and as an operator sees it. */
import assert from 'node:assert/strict';
import type { RegistryKind } from '../../../src/domain/registry/registry.ts';
import { SEND_EXAMPLES } from '../../../src/http/contract/send-examples.ts';
import { type Client, type TestGateway, WEBHOOK_ON_LOOPBACK } from '../../harness/gateway.ts';
import { image } from '../../harness/images.ts';
import type { Kind } from './names.ts';

/** A thing of the owner, and one of the same form that never was. */
export interface Thing {
  readonly foreign: string;
  readonly never: string;
}

export interface Belongings {
  readonly things: Readonly<Record<Kind, Thing>>;
  /** All of it, as text that does not change unless somebody changes it. */
  snapshot(): Promise<readonly string[]>;
  /** The batch can be acknowledged, and what was not polled yet comes after it. */
  assertReportsAreThere(): Promise<void>;
}

/** Occurs in everything that the owner wrote, and so in no answer to anybody else. */
export const MARK = 'ownersmark';

const { senderKey: SENDER_KEY } = SEND_EXAMPLES.alimtalk['template with a button'];

const REGISTERED: Readonly<Record<RegistryKind, Thing & { readonly fields?: object }>> = {
  sender: { foreign: '0277770001', never: '0277770009' },
  senderProfile: { foreign: 'ownersProfile', never: 'nobodyProfile' },
  alimtalkTemplate: {
    // Others may have registered the same profile, but not the template.
    foreign: `${SENDER_KEY}/ownersTemplate`,
    never: `${SENDER_KEY}/nobodyTemplate`,
    fields: { text: '#{all}' },
  },
  brandmessageTemplate: {
    foreign: `${SENDER_KEY}/ownersBrandTemplate`,
    never: `${SENDER_KEY}/nobodyBrandTemplate`,
    fields: { text: 'hi' },
  },
  rcsBrand: {
    foreign: 'BR.owners',
    never: 'BR.nobody',
    fields: { brandId: 'owners-id', senders: ['0277770001'] },
  },
  logo: {
    foreign: 'ownersLogo',
    never: 'nobodyLogo',
    fields: { image: `data:image/png;base64,iVBORw0KGgo${MARK}` },
  },
  rcsTemplate: { foreign: 'TPLOWNER', never: 'TPLNOONE', fields: { templateKind: 'cell' } },
  internationalSenderId: { foreign: 'OwnerShop', never: 'NobodyShp', fields: { prefixes: ['+1'] } },
  internationalSignature: { foreign: '[Owner]', never: '[Nobdy]', fields: { prefixes: ['+1'] } },
  inboundNumber: { foreign: '0277770001/OWNER', never: '0277770002/OWNER' },
};

const EXAMPLE_RECIPIENT = '01077779999';

export async function createBelongings(gateway: TestGateway): Promise<Belongings> {
  const { operator } = gateway;
  const owner = await gateway.account('owner');
  const pushed = await gateway.account('pushed', WEBHOOK_ON_LOOPBACK);

  const idempotencyKey = 'owners-idempotency-key';
  const send = async (client: Client, ref: string) => {
    const { body } = await client.sms(
      { text: `${MARK} text`, ref: `${MARK}-${ref}`, to: EXAMPLE_RECIPIENT },
      { 'idempotency-key': `${idempotencyKey}${ref}` },
    );
    await client.reportsOf(body.msgKey);
    return body.msgKey ?? '';
  };
  const polled = await send(owner, '');
  const { reportId } = (await owner.poll()).body.data;
  const unpolled = await send(owner, '-unpolled');
  await send(pushed, '');

  const messageForm = [{ sms: { from: '0212345678', text: `${MARK} form` } }];
  const { formId } = (await owner.call('POST', '/v1/form', { messageForm })).body.data;
  const later = {
    resvSendTime: '2026-02-01 09:00:00',
    resvName: `${MARK} reservation`,
    messageFlow: messageForm,
  };
  const reserved = await owner.call('POST', '/v1/reservation', {
    ...later,
    destinations: [{ to: EXAMPLE_RECIPIENT }],
  });
  const { resvKey } = reserved.body.data;
  // Of a size that no layout of RCS has: whoever may use it would be refused with another code.
  const { fileKey, media } = await owner.upload('RCS', image('png', 567, 337));
  for (const [kind, { foreign, fields = {} }] of Object.entries(REGISTERED)) {
    const path = `/accounts/owner/registry/${kind}/${encodeURIComponent(foreign)}`;
    assert.equal((await operator('PUT', path, fields)).body.code, 'A000', kind);
  }

  const entry = { to: EXAMPLE_RECIPIENT, sender: MARK };
  await owner.call('POST', '/v1/optout', { optOuts: [entry] });
  const [optOut] = (await owner.call('GET', '/v1/optout')).body.data.optOuts;

  async function snapshot(): Promise<readonly string[]> {
    const own = await Promise.all([
      owner.poll(),
      ...[polled, unpolled].flatMap(key => [
        owner.call('GET', `/v1/report/inquiry/${key}`),
        owner.call('GET', `/v1/message/${key}`),
      ]),
      owner.call('GET', `/v1/form/${formId}`),
      owner.call('GET', '/v1/optout?state=all'),
      owner.call('GET', `/v1/reservation/resvKey/${resvKey}`),
      owner.call('GET', `/v1/reservation/resvKey/${resvKey}/destinations`),
    ]);
    const seen = await Promise.all(
      [
        ...['/accounts/owner', '/accounts/pushed', '/accounts/owner/registry'],
        ...['/files?account=owner', '/forms?account=owner', '/messages?account=owner'],
        ...['/messages?account=pushed', `/messages/${polled}`],
      ].map(path => operator('GET', path)),
    );
    // Its calls go on meanwhile, and fail.
    const { url, secrets, pending } = (await operator('GET', '/accounts/pushed/webhook')).body.data;
    const shown = await gateway.gateway.http.inject({ url: `/files/${fileKey}` });
    for (const { status, text } of [...own, ...seen]) assert.equal(status, 200, text);
    return [
      ...[...own, ...seen].map(({ text }) => text),
      JSON.stringify({ url, secrets, pending }),
      shown.rawPayload.toString('base64'),
    ];
  }
  return {
    things: {
      ...REGISTERED,
      brandId: { foreign: 'owners-id', never: 'nobody-id' },
      idempotencyKey: { foreign: idempotencyKey, never: 'nobody-idempotency-key' },
      message: likeNone(polled),
      request: likeNone(polled.slice(0, -3)),
      batch: likeNone(reportId),
      form: likeNone(formId),
      reservation: likeNone(resvKey),
      file: likeNone(fileKey),
      media: likeNone(media),
      fileUrl: likeNone(`http://localhost:80/files/${fileKey}`),
      optOut: { foreign: optOut.id, never: '999999999' },
    },
    snapshot,
    async assertReportsAreThere() {
      assert.equal((await owner.call('DELETE', `/v1/report/polling/${reportId}`)).body.code, 'A000');
      const { report } = (await owner.poll()).body.data;
      assert.deepEqual(
        report.map(({ msgKey }: { msgKey: string }) => msgKey),
        [unpolled],
      );
    },
  };
}

/** Ids end in characters of chance. */
function likeNone(foreign: string): Thing {
  return { foreign, never: `${foreign.slice(0, -4)}${foreign.endsWith('ZZZZ') ? 'YYYY' : 'ZZZZ'}` };
}
