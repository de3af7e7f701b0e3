/** The queue: how deep it is, its oldest messages, and what could not be settled. */
import { pageLimit } from '../domain/request/list-fields.ts';
import { maskNumber, maskNumbersIn } from '../domain/request/phone-number.ts';
import { EXAMPLE_MSG_KEY, EXAMPLE_TIME } from './common.ts';
import { operation, resource } from './operation.ts';
import { count, hidden, listOf, named, type Of, object, optional, orNull, text, time } from './shapes.ts';
import { said } from './words.ts';

export const Depth = named(
  'QueueDepth',
  object({
    ready: count('Steps that are due and wait for their turn.', '차례를 기다리는 단계.'),
    claimed: count('Steps that are being submitted.', '전송 중인 단계.'),
    waiting: count('Steps that wait for a receipt.', '결과 수신 대기 중인 단계.'),
    putOff: count(
      'Steps that wait for their time: a later attempt, or the permitted hours of an advertisement.',
      '다음 시도 시각 또는 광고 허용 시간을 기다리는 단계.',
    ),
    oldestReadyAt: optional(
      count(
        'Due time of the oldest ready step, in milliseconds.',
        '가장 오래된 전송 대기 단계의 예정 시각(ms).',
      ),
    ),
  }),
);
const Queued = named(
  'QueuedMessage',
  object({
    msgKey: text('Key of the message.'),
    account: text('Account that sent it.'),
    to: hidden(text('Recipient, masked.', '마스킹된 수신번호.'), maskNumber),
    channel: text('Channel of the current step.', '현재 단계의 채널.'),
    state: text('State of the current step.'),
    step: count('Number of the current step, from 0.', '현재 단계의 번호(0부터).'),
    attempt: count('Attempts of this step so far.', '이 단계의 지금까지 시도 횟수.'),
    acceptedAt: time('When it was accepted.'),
    postponedUntil: orNull(
      time(
        'When an advertisement outside its hours may go out; null for others.',
        '발송 가능 시간을 기다리는 광고를 보낼 수 있는 시각. 그 밖에는 null.',
      ),
    ),
  }),
);
/** An answer of a carrier, as JSON; nobody needs the numbers in it. */
const Aside = named(
  'SetAside',
  object({
    at: count('When, in milliseconds.', '시각(ms).'),
    reason: hidden(text('Why it could not be stored.', '저장하지 못한 이유.'), maskNumbersIn),
    event: hidden(text('The event, as JSON.', '이벤트(JSON).'), maskNumbersIn),
  }),
);

export type DepthView = Of<typeof Depth>;

export const DEPTH_EXAMPLE: DepthView = {
  ...{ ready: 12, claimed: 4, waiting: 230, putOff: 3, oldestReadyAt: 1772411400000 },
};

export const queue = resource('Operator', {}, [
  operation('GET /queue', {
    id: 'readQueue',
    role: 'viewer',
    summary: said('Show the depth of the queue', '대기열 현황 조회'),
    description: said(
      'How many channel messages are ready, put off, claimed and waiting.',
      '전송 대기, 연기, 전송 중, 결과 수신 대기 중인 채널 메시지 수입니다.',
    ),
    answer: Depth,
    example: DEPTH_EXAMPLE,
  }),
  operation('GET /queue/messages', {
    id: 'listQueue',
    role: 'viewer',
    summary: said('List the oldest messages that are being delivered', '처리 중인 가장 오래된 메시지 목록'),
    description: said(
      'Oldest first, whatever they wait for. Numbers are masked for everybody.',
      '무엇을 기다리든 오래된 순서입니다. 번호는 모든 권한에 마스킹됩니다.',
    ),
    query: { limit: pageLimit(1000, 50, 'Most messages') },
    answer: object({ messages: listOf(Queued) }),
    example: {
      messages: [
        {
          ...{ msgKey: EXAMPLE_MSG_KEY, account: 'shop', to: '010****5678', channel: 'sms' },
          ...{ state: 'submitted', step: 0, attempt: 1, acceptedAt: EXAMPLE_TIME, postponedUntil: null },
        },
      ],
    },
  }),
  operation('GET /queue/set-aside', {
    id: 'listSetAside',
    role: 'viewer',
    summary: said(
      'List answers and receipts that could not be stored',
      '저장하지 못한 응답과 결과 통보 목록',
    ),
    description: said(
      'The newest 100, each with the reason. The outcome of their messages is unknown until a receipt or the deadline.',
      '최근 100건과 그 이유입니다. 결과 통보가 오거나 제한 시간이 지날 때까지 해당 메시지의 결과는 알 수 없습니다.',
    ),
    answer: listOf(Aside),
    example: [{ at: 1772411400000, reason: 'invalid byte sequence', event: '{"kind":"receipt"}' }],
  }),
]);
