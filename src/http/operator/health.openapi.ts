import { AREAS, VERDICTS } from '../../operate/finding.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, orNull, reference, text, time } from '../../operations/schemas.ts';
import { type ResourceDocument, success } from '../openapi/operation.ts';
import { queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Operator', access: 'operator' } as const;

const health = closedObject({
  node: text('Its name: BONGSU_NODE_NAME, or host and port.'),
  version: text('Its version.'),
  ready: { type: 'boolean', description: 'The state that /readyz answers.' },
  reason: { type: ['string', 'null'], description: 'Why it is not ready; null if it is.' },
  store: closedObject({
    state: { enum: ['ok', 'away', 'full'] },
    since: text('When this state began.'),
    detail: text('Message of the store.'),
    advice: text('What to do; empty if there is nothing to do.'),
    risks: {
      type: 'array',
      description: 'Why PostgreSQL may lose accepted messages; empty if no reason is known.',
      items: closedObject({
        setting: text('Setting of PostgreSQL.'),
        value: text('Its value.'),
        risk: text('What may happen.'),
        advice: text('What to do; empty if there is nothing to do.'),
      }),
    },
  }),
  clock: closedObject({
    isTrusted: {
      type: 'boolean',
      description: 'While it is false, nothing is deleted, ended or released by its time.',
    },
    detail: text('Why not; empty if it is.'),
    aheadMs: {
      type: ['integer', 'null'],
      description:
        'Milliseconds that the wall clock of this machine is ahead of the database; null with SQLite.',
    },
  }),
  disk: {
    description: 'The disk of the data directory; null if it is not used, or not known yet.',
    oneOf: [
      { type: 'null' },
      closedObject({
        state: { enum: ['ok', 'low'], description: 'low: reservations and uploads are refused.' },
        freeBytes: { type: 'integer', description: 'Free bytes.' },
        totalBytes: { type: 'integer', description: 'Size of the disk in bytes.' },
        reserveBytes: { type: 'integer', description: 'With fewer bytes free it is low.' },
        advice: text('What to do; empty if there is nothing to do.'),
      }),
    ],
  },
  queue: { ...reference('QueueDepth'), description: 'As this node counted it last.' },
  inFlight: count('Parts that wait for an answer of a carrier.'),
  carriers: {
    type: 'array',
    items: closedObject({
      name: text('Name of the carrier.'),
      state: {
        enum: ['idle', 'moving', 'full', 'stuck', 'waiting', 'connecting', 'slowed', 'down', 'paused'],
      },
      detail: text('Reason given by the carrier.'),
      headAgeSeconds: { type: 'integer', description: 'How long its oldest ready message has been due.' },
      windowFullSeconds: { type: 'integer', description: 'How long its window has been full.' },
      advice: text('What to do; empty if there is nothing to do.'),
    }),
  },
});

export const operatorHealthDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/health',
      operationId: 'readHealth',
      role: 'viewer',
      summary: 'Health of this node',
      description:
        'What this node knows of itself: the state of the store, the disk and each carrier, with advice. Answered while the store is away, too, with the admin token of the configuration.',
      success: success(
        { data: health },
        {
          data: {
            node: 'gateway-1',
            version: '0.3.0',
            ready: true,
            reason: null,
            store: { state: 'ok', since: EXAMPLE_TIME, detail: '', advice: '', risks: [] },
            clock: { isTrusted: true, detail: '', aheadMs: 3 },
            disk: {
              ...{ state: 'ok', freeBytes: 61_000_000_000, totalBytes: 80_000_000_000 },
              ...{ reserveBytes: 4_000_000_000, advice: '' },
            },
            queue: { ready: 12, claimed: 4, waiting: 230, putOff: 3, oldestReadyAt: 1772411400000 },
            inFlight: 12,
            carriers: [
              {
                name: 'acme',
                state: 'full',
                detail: 'https://api.acme.example',
                headAgeSeconds: 84,
                windowFullSeconds: 83,
                advice: 'Ask the carrier why it does not answer; other carriers are not affected.',
              },
            ],
          },
        },
      ),
      codes: ['A002', 'A020', 'A999'],
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/doctor',
      operationId: 'examine',
      role: 'viewer',
      summary: 'Examine the installation',
      description:
        'Configuration, certificate, store, durability, disk, clock, carriers, webhooks and queue: what was found in each, and what to do. The store is not read for damage; `bongsu doctor` on its machine does that. While the store is away, what this node knows by itself is examined.',
      parameters: [
        queryParameter(
          'scope',
          'all: everything. pressing: what may need somebody now, without the configuration, the forms and the size of the store. all if absent.',
          'pressing',
        ),
      ],
      success: success(
        { data: closedObject({ findings: { type: 'array', items: reference('Finding') } }) },
        {
          data: {
            findings: [
              {
                area: 'carriers',
                verdict: 'problem',
                detail: 'The carrier sky is down: connection refused',
                advice: 'Try it with "bongsu carrier test"; see docs/carriers.md.',
                about: 'sky',
                since: EXAMPLE_TIME,
                effect: '12 messages are waiting; there is no other carrier',
              },
            ],
          },
        },
      ),
      codes: READ_CODES,
    },
  ],
  schemas: {
    Finding: closedObject({
      area: { type: 'string', enum: AREAS, description: 'What was looked at.' },
      verdict: { type: 'string', enum: VERDICTS, description: 'How bad it is.' },
      detail: text('What was found.'),
      advice: text('What to do; empty if there is nothing to do.'),
      about: orNull(text('The carrier, account or node that it is about, by its area.')),
      since: orNull(time('Since when, as far as that is known.')),
      effect: text('What it keeps from happening; empty if that is not known.'),
    }),
  },
};
