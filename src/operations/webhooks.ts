/** Webhooks of accounts and their deliveries. */
import {
  DELIVERY_STATES,
  OVERLAP_HOURS,
  parseDeliveryId,
  withoutSecrets,
} from '../domain/reports/webhook.ts';
import { word } from '../domain/request/field-kinds.ts';
import { accountFilter, cursor, pageLimit } from '../domain/request/list-fields.ts';
import { maskNumbersIn } from '../domain/request/phone-number.ts';
import { ACCOUNT, EXAMPLE_MSG_KEY, EXAMPLE_TIME, NO_ACCOUNT, RANGE, RANGE_EXAMPLES } from './common.ts';
import { type Logged, operation, resource } from './operation.ts';
import {
  count,
  described,
  flag,
  forAdmins,
  integer,
  listOf,
  masked,
  named,
  type Of,
  object,
  oneOf,
  orNull,
  plain,
  text,
} from './shapes.ts';
import { said } from './words.ts';

const moment = text('ISO 8601 with the configured offset.', '설정된 시간대의 ISO 8601 시각.');
const whole = plain<number>({ type: 'integer', minimum: 0 });
const status = orNull(integer('HTTP status of the receiver.', '수신 서버의 HTTP 상태.'));

const Trouble = described(
  object({
    since: text(
      'When the calls were stopped, ISO 8601 with the configured offset.',
      '호출을 중단한 시각. 설정된 시간대의 ISO 8601 시각입니다.',
    ),
    failures: count('Calls that failed in a row.', '연속으로 실패한 호출 수.'),
    error: text('What was wrong with the last one.', '마지막 호출의 오류.'),
    lastAt: text('When that was.', '해당 시각.'),
    nextAt: orNull(
      text(
        'When the receiver is called again; null: with the next record that falls due.',
        '수신 서버를 다시 호출할 시각. null이면 다음 차례의 결과와 함께 호출합니다.',
      ),
    ),
  }),
  'The receiver keeps failing: it is called again after a pause, once. Null while all is well.',
  '수신 서버가 계속 실패하면 잠시 멈춘 뒤 한 번 다시 호출합니다. 정상이면 null.',
);

const DELIVERY = {
  id: text(
    'The webhook-id that the receiver sees, the same for every attempt and replay.',
    '수신 서버가 받는 webhook-id. 모든 시도와 재전달에서 같습니다.',
  ),
  account: text('Account whose record it is.', '결과의 계정.'),
  msgKey: text('Key of the message.'),
  step: count('Position of the channel message in its flow, from 0.', '채널 메시지의 발송 순서(0부터).'),
  state: oneOf(
    DELIVERY_STATES,
    'pending: waits for its first attempt. retrying: failed, and waits for another. off: waits because the receiver answered 410.',
    'pending: 첫 시도 대기. retrying: 실패하여 다음 시도 대기. off: 수신 서버가 410으로 응답하여 대기.',
  ),
  attempts: count(
    'Attempts so far; after a replay, or a retry after the end, counted from 0 again.',
    '지금까지의 시도 횟수. 다시 전달하거나 끝난 뒤 재시도하면 새로 셉니다.',
  ),
  waitsFor: orNull(
    oneOf(
      ['time', 'turn', 'call', 'circuit', 'webhook'],
      'What a record that was not delivered waits for. time: its next attempt. turn: it is due, others are before it. call: a node has it in hand. circuit: the receiver keeps failing and is called again at the next attempt. webhook: nothing is sent to this webhook now.',
      '전달되지 않은 결과가 기다리는 것. time: 다음 시도 시각. turn: 차례. call: 노드가 처리 중. circuit: 수신 서버가 계속 실패하여 다음 시도에 다시 호출. webhook: 현재 이 웹훅으로 전달하지 않음.',
    ),
  ),
  nextAt: orNull(
    text(
      'Next attempt, never in the past; ISO 8601 with the configured offset.',
      '다음 시도 시각. 과거가 아니며, 설정된 시간대의 ISO 8601 시각입니다.',
    ),
  ),
  lastAt: orNull(moment),
  lastStatus: status,
  lastError: orNull(text('What was wrong with the last attempt.', '마지막 시도의 오류.')),
};

const ATTEMPT = {
  at: moment,
  status,
  error: orNull(text('What was wrong.', '오류 내용.')),
  durationMs: whole,
};

type Headers = Readonly<Record<string, string>>;
const headers = (description: string) =>
  described(plain<Headers>({ type: 'object', additionalProperties: { type: 'string' } }), description);
const maskHeaders = (given: Headers): Headers =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, maskNumbersIn(value)]));

/** The token in the URL is for those who may set it. The answer of a receiver is its own text, and may name the recipient. */
const Exchange = described(
  orNull(
    object({
      request: object({
        url: forAdmins(
          text(
            'URL that was called; without its path and query for other roles than admin.',
            '호출한 주소. admin이 아니면 경로와 쿼리를 제외합니다.',
          ),
          withoutSecrets,
        ),
        headers: headers('As they were sent; of signatures only the beginning.'),
        body: orNull(
          text(
            'The record as it was sent; null when it is not kept any more.',
            '보낸 그대로의 결과. 더 이상 보관하지 않으면 null.',
          ),
        ),
      }),
      answer: orNull(
        object({
          headers: masked(headers('At most 20; cookies and the like are hidden.'), maskHeaders),
          body: masked(
            text(
              'Its first 1000 characters, of a success 200. Numbers in it are masked.',
              '처음 1000자(성공은 200자). 번호는 마스킹됩니다.',
            ),
            maskNumbersIn,
          ),
          length: count('Characters of the whole body.', '전체 본문의 글자 수.'),
        }),
      ),
      sentMs: orNull(
        count(
          'Milliseconds from the start until the request was on a connected socket; null if it did not come so far.',
          '시작부터 연결된 소켓에 요청을 보낼 때까지의 시간(ms). 도달하지 못했으면 null.',
        ),
      ),
      answeredMs: orNull(
        count(
          'Milliseconds from the start until the head of the answer was there; null if it did not come so far.',
          '시작부터 응답 헤더를 받을 때까지의 시간(ms). 도달하지 못했으면 null.',
        ),
      ),
    }),
  ),
  'What went back and forth. Null where it is not kept: of the last three attempts only.',
  '요청과 응답 내용. 최근 세 번의 시도만 보관하며 없으면 null.',
);

const Delivery = named(
  'WebhookDelivery',
  object({
    ...DELIVERY,
    recent: listOf(object(ATTEMPT), 'The last attempts, oldest first.', '최근 시도를 오래된 것부터.'),
  }),
);
const Attempt = object({ ...ATTEMPT, exchange: Exchange });
const DeliveryDetail = named(
  'WebhookDeliveryDetail',
  object({
    ...DELIVERY,
    offReason: orNull(
      text('Why nothing is sent to this webhook now.', '현재 이 웹훅으로 전달하지 않는 이유.'),
    ),
    trouble: orNull(Trouble),
    reportedAt: moment,
    giveUpAt: text(
      'End of its attempts, ISO 8601 with the configured offset.',
      '시도를 끝내는 시각. 설정된 시간대의 ISO 8601 시각입니다.',
    ),
    history: listOf(Attempt, 'Up to 20 attempts, newest first.', '최대 20번의 시도를 최신순으로.'),
  }),
);
const Webhook = named(
  'Webhook',
  object({
    url: orNull(forAdmins(text('URL that records are posted to.', '결과를 보내는 주소.'), withoutSecrets)),
    isOff: flag('Nothing is sent to it now.', '현재 전달하지 않음.'),
    offReason: orNull(text('Why not.', '전달하지 않는 이유.')),
    secrets: listOf(
      object({
        id: text('Identifies it; this is not the secret.', '서명 키의 식별자. 키 자체가 아닙니다.'),
        createdAt: moment,
        expiresAt: orNull(moment),
      }),
      'Secrets that sign, newest first.',
      '서명에 쓰는 키를 최신순으로.',
    ),
    pending: count('Records that wait, counted up to 100000.', '대기 중인 결과 수. 100000건까지 셉니다.'),
    circuit: oneOf(
      ['closed', 'open'],
      'open: the last calls failed, and only a probe is sent now and then. See trouble.',
      'open: 최근 호출이 실패하여 가끔 확인 호출만 보냅니다. trouble 참고.',
    ),
    trouble: orNull(Trouble),
  }),
);
const WebhookTest = object({
  isOk: plain<boolean>({ type: 'boolean' }),
  status,
  detail: text('What was wrong, or that all is well.', '오류 내용 또는 정상 여부.'),
  durationMs: whole,
  at: moment,
  exchange: Exchange,
});
const Records = object({ records: whole });

export type TroubleView = Of<typeof Trouble>;
export type ExchangeView = NonNullable<Of<typeof Exchange>>;
export type AttemptView = Of<typeof Attempt>;
export type DeliverySummary = Of<typeof Delivery>;
export type DeliveryDetailView = Of<typeof DeliveryDetail>;
export type WebhookView = Of<typeof Webhook>;
export type WebhookTestView = Of<typeof WebhookTest>;

const WEBHOOK_EXAMPLE: WebhookView = {
  url: 'https://shop.example.com/reports',
  isOff: false,
  offReason: null,
  secrets: [{ id: '06C3Q8ZD9GYYRC3W', createdAt: EXAMPLE_TIME, expiresAt: null }],
  pending: 0,
  circuit: 'closed',
  trouble: null,
};
const ATTEMPT_EXAMPLE = { at: EXAMPLE_TIME, status: 500, error: 'HTTP 500; expected 200', durationMs: 12 };
const DELIVERED = {
  id: `${EXAMPLE_MSG_KEY}-0`,
  account: 'shop',
  msgKey: EXAMPLE_MSG_KEY,
  step: 0,
  state: 'retrying',
  attempts: 1,
  waitsFor: 'time',
  nextAt: EXAMPLE_TIME,
  lastAt: EXAMPLE_TIME,
  lastStatus: 500,
  lastError: 'HTTP 500; expected 200',
} as const;
const DELIVERY_EXAMPLE: DeliverySummary = { ...DELIVERED, recent: [ATTEMPT_EXAMPLE] };
const EXCHANGE_EXAMPLE: ExchangeView = {
  request: {
    url: 'https://shop.example.com/reports',
    headers: { 'webhook-id': `${EXAMPLE_MSG_KEY}-0`, 'webhook-signature': 'v1,K5oZfzN9…' },
    body: `{"msgKey":"${EXAMPLE_MSG_KEY}","reportCode":"10000"}`,
  },
  answer: { headers: { 'content-type': 'text/plain' }, body: 'Internal Server Error', length: 21 },
  sentMs: 3,
  answeredMs: 11,
};
const NO_DELIVERY = said('There is no such delivery.');

export const webhooks = resource(
  'Operator',
  {
    id: ACCOUNT,
    deliveryId: {
      description: said('Id of the delivery: the webhook-id of the record.', '전달 ID: 결과의 webhook-id.'),
      example: `${EXAMPLE_MSG_KEY}-0`,
    },
  },
  [
    operation('GET /webhooks', {
      id: 'listWebhookDeliveries',
      role: 'viewer',
      summary: said('List webhook deliveries', '웹훅 전달 내역'),
      description: said(
        'Newest messages first. A delivery that ended is kept for a week.',
        '최신 메시지순입니다. 끝난 전달 내역은 일주일간 보관합니다.',
      ),
      query: {
        account: accountFilter(said('Of this account only.', '이 계정만.')),
        state: {
          ...word({
            code: 'A300',
            values: DELIVERY_STATES,
            description: said('In this state only.', '이 상태만.'),
          }),
          example: 'failed',
        },
        limit: pageLimit(200, 50),
        cursor: cursor(`${EXAMPLE_MSG_KEY}-0`, parseDeliveryId),
      },
      answer: object({ deliveries: listOf(Delivery), next: orNull(text('Cursor of the next page.')) }),
      example: { deliveries: [DELIVERY_EXAMPLE], next: null },
    }),
    operation('GET /webhooks/{deliveryId}', {
      id: 'readWebhookDelivery',
      role: 'viewer',
      summary: said('Show a webhook delivery', '웹훅 전달 내역 조회'),
      description: said(
        'Its attempts, and what went back and forth in the last three of them.',
        '시도 내역과 최근 세 번의 요청·응답 내용입니다.',
      ),
      answer: DeliveryDetail,
      example: {
        ...DELIVERED,
        offReason: null,
        trouble: null,
        reportedAt: EXAMPLE_TIME,
        giveUpAt: '2026-03-05T09:30:00+09:00',
        history: [{ ...ATTEMPT_EXAMPLE, exchange: EXCHANGE_EXAMPLE }],
      },
      notFound: NO_DELIVERY,
    }),
    operation('POST /webhooks/{deliveryId}/retry', {
      id: 'retryWebhookDelivery',
      role: 'operator',
      summary: said('Send one record now', '결과 하나를 지금 전달'),
      description: said(
        'Before all others of its account, even if its receiver keeps failing. One that was delivered or given up is tried for three more days.',
        '수신 서버가 계속 실패하더라도 계정의 다른 결과보다 먼저 전달합니다. 이미 전달했거나 포기한 결과는 3일간 더 시도합니다.',
      ),
      answer: Delivery,
      example: DELIVERY_EXAMPLE,
      notFound: NO_DELIVERY,
      audit: {
        action: 'webhook.retry',
        entry: ({ deliveryId: id }, { account }) => ({ target: account, details: { id } }),
      },
    }),
    operation('GET /accounts/{id}/webhook', {
      id: 'readWebhook',
      role: 'viewer',
      summary: said('Show the webhook of an account', '계정의 웹훅 조회'),
      description: said(
        'Its URL, whether it is switched off and why, and how many records wait.',
        '주소, 꺼짐 여부와 이유, 대기 중인 결과 수입니다.',
      ),
      answer: Webhook,
      example: WEBHOOK_EXAMPLE,
      notFound: NO_ACCOUNT,
    }),
    operation('POST /accounts/{id}/webhook/test', {
      id: 'testWebhook',
      role: 'operator',
      summary: said('Send a sample record', '테스트 전송'),
      description: said(
        'One signed call with msgKey TEST0000000000000000000000000000; it is not retried.',
        'msgKey가 TEST0000000000000000000000000000인 서명된 호출을 한 번 보냅니다. 재시도하지 않습니다.',
      ),
      answer: WebhookTest,
      example: {
        isOk: false,
        status: 404,
        detail: 'HTTP 404; expected 200',
        durationMs: 35,
        at: EXAMPLE_TIME,
        exchange: EXCHANGE_EXAMPLE,
      },
      notFound: NO_ACCOUNT,
      audit: {
        action: 'webhook.test',
        entry: ({ id }, { isOk }) => ({ target: id, details: { isOk } }),
      },
    }),
    operation('POST /accounts/{id}/webhook/replay', {
      id: 'replayWebhook',
      role: 'operator',
      summary: said('Send the records of a time range again', '기간 내 결과 다시 전달'),
      description: said(
        'All records reported and inbound messages received in the range, delivered or not, each with its original webhook-id, behind what is due for the account.',
        '성공 여부와 관계없이 기간 내 모든 결과와 수신 메시지를 원래의 webhook-id로 다시 전달합니다. 계정에 지금 보낼 다른 결과가 있으면 그 뒤에 전달합니다.',
      ),
      body: RANGE,
      examples: RANGE_EXAMPLES,
      answer: Records,
      example: { records: 120 },
      notFound: NO_ACCOUNT,
      audit: { action: 'webhook.replay', entry: loggedRange },
    }),
    operation('POST /accounts/{id}/webhook/retry', {
      id: 'retryWebhook',
      role: 'operator',
      summary: said('Send what was not delivered of a time range', '기간 내 미전달 결과 전달'),
      description: said(
        'Records reported in the range that wait or were given up, as soon as nothing else is due for the account, instead of at their next attempt. One that was given up is tried for three more days.',
        '기간 내 결과 중 대기 중이거나 포기한 것을 다음 시도까지 기다리지 않고, 계정에 지금 보낼 다른 결과가 없을 때 바로 전달합니다. 포기한 결과는 3일간 더 시도합니다.',
      ),
      body: RANGE,
      examples: RANGE_EXAMPLES,
      answer: Records,
      example: { records: 12 },
      notFound: NO_ACCOUNT,
      audit: { action: 'webhook.retry-range', entry: loggedRange },
    }),
    operation('POST /accounts/{id}/webhook/secret', {
      id: 'rotateWebhookSecret',
      role: 'admin',
      summary: said('Rotate the signing secret', '서명 키 교체'),
      description: said(
        'Shown only once. The previous secret stays valid for a day, and calls are signed with both.',
        '한 번만 표시합니다. 이전 키는 하루 동안 더 유효하며, 그동안 두 키로 서명합니다.',
      ),
      answer: object({
        secret: text('whsec_ and 32 bytes in base64.', 'whsec_와 base64로 인코딩한 32바이트.'),
      }),
      example: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=' },
      notFound: NO_ACCOUNT,
      audit: {
        action: 'webhook.rotate',
        entry: ({ id }) => ({ target: id, details: { oldSecretValidHours: OVERLAP_HOURS } }),
      },
    }),
    operation('POST /accounts/{id}/webhook/resume', {
      id: 'resumeWebhook',
      role: 'operator',
      summary: said('Switch a webhook on again', '웹훅 다시 켜기'),
      description: said(
        'After it answered 410. Waiting records that are less than three days old are sent.',
        '410으로 응답한 뒤에 사용합니다. 대기 중인 결과 중 3일이 지나지 않은 것을 전달합니다.',
      ),
      answer: Webhook,
      example: WEBHOOK_EXAMPLE,
      notFound: NO_ACCOUNT,
      audit: { action: 'webhook.resume', entry: ({ id }) => ({ target: id, details: { off: false } }) },
    }),
  ],
);

function loggedRange(
  { id, from, until }: { readonly id: string; readonly from: string; readonly until: string },
  { records }: { readonly records: number },
): Logged {
  return { target: id, details: { from, until, records } };
}
