/** Carriers and routes: their state, pausing them, and which carrier a message would go out by. */
import { CHANNELS } from '../domain/channels/channel.ts';
import { parsed, word } from '../domain/request/field-kinds.ts';
import { required } from '../domain/request/fields.ts';
import { accountFilter } from '../domain/request/list-fields.ts';
import { operation, resource } from './operation.ts';
import {
  described,
  flag,
  integer,
  listOf,
  named,
  type Of,
  object,
  oneOf,
  orNull,
  plain,
  text,
} from './shapes.ts';
import { said } from './words.ts';

const name = plain<string>({ type: 'string' });
const bit = plain<boolean>({ type: 'boolean' });

const Line = named(
  'Carrier',
  object({
    name: text('Its name in bongsu.yaml.', 'bongsu.yaml에 있는 이름.'),
    kind: text('smpp, http or simulator.', 'smpp, http 또는 simulator.'),
    node: text(
      'The node that reports it; empty if no node runs it.',
      '상태를 알린 노드. 실행하는 노드가 없으면 비어 있습니다.',
    ),
    state: oneOf(
      ['connecting', 'up', 'full', 'waiting', 'slowed', 'down', 'gone'],
      'full: it has not answered what it was sent, and takes no more. gone: its node has died.',
      'full: 이미 보낸 메시지에 응답하지 않아 더 보낼 수 없습니다. gone: 노드가 비정상 종료되었습니다.',
    ),
    detail: text(
      'For people: what it is connected to, or why it is not up.',
      '사람이 읽을 설명: 연결된 곳 또는 연결되지 않은 이유.',
    ),
    since: orNull(text('When this state began.')),
    paused: flag('An operator has paused it.', '운영자가 일시정지함.'),
    channels: listOf(name, 'Channels it serves.', '처리하는 채널.'),
    window: integer(
      'Most parts that may wait for an answer at once.',
      '동시에 응답을 기다릴 수 있는 최대 건수.',
    ),
    inFlight: integer('Parts that wait for an answer.', '응답을 기다리는 건수.'),
    rate: integer('Parts a second; 0 means no limit.', '초당 발송 한도(건). 0은 제한 없음.'),
    foundRate: orNull(
      described(
        plain<number>({ type: 'number' }),
        'Parts a second that the carrier was measured to accept; null if it accepts as much as the settings allow.',
        '측정된 중계사의 초당 처리 건수. 설정만큼 처리하면 null.',
      ),
    ),
    throttled: integer(
      'Submits that the carrier refused as too fast, since the node started.',
      '노드가 시작된 뒤 중계사가 속도 초과로 거절한 전송 수.',
    ),
    breakerOpenUntil: orNull(
      text(
        'Until when nothing is sent through it, because it takes nothing or loses much; null where that is not so.',
        '메시지를 받지 않거나 많이 잃어 발송을 중단하는 기한. 해당하지 않으면 null.',
      ),
    ),
    hint: orNull(
      text(
        'For people: a setting that seems wrong, and a better value.',
        '사람이 읽을 설명: 잘못된 듯한 설정과 권장 값.',
      ),
    ),
    sent: plain<Readonly<Record<string, number>>>({
      type: 'object',
      description: said('Answers since the node started, by kind.', '노드가 시작된 뒤의 응답을 종류별로.'),
      additionalProperties: true,
    }),
  }),
);
const Route = named(
  'Route',
  object({
    index: integer('Position in bongsu.yaml, from 0.', 'bongsu.yaml에서의 위치(0부터).'),
    channel: text('Channel it serves.', '처리하는 채널.'),
    prefix: listOf(name, 'Prefixes of recipient numbers; none means all.', '수신번호의 앞자리. 없으면 전체.'),
    account: listOf(name, 'Accounts; none means all.', '계정. 없으면 전체.'),
    weight: orNull(plain<number>({ type: 'integer' })),
    via: listOf(name, 'Carriers in order of preference.', '우선순위대로 나열한 중계사.'),
  }),
);
const Verdict = named(
  'RouteVerdict',
  object({
    route: integer('Position in bongsu.yaml, from 0.'),
    matches: bit,
    why: text('For people.', '사람이 읽을 설명.'),
  }),
);
const Explanation = object({
  carrier: orNull(text('null if no route matches.', '일치하는 규칙이 없으면 null.')),
  why: text('For people.'),
  considered: listOf(Verdict),
});

export type CarrierLine = Of<typeof Line>;
export type RouteLine = Of<typeof Route>;
export type RouteExplanation = Of<typeof Explanation>;

const CHANGE = {
  role: 'operator',
  answer: object({ name: text('The carrier.', '중계사.') }),
  example: { name: 'simulator' },
  notFound: said('There is no such carrier.'),
} as const;
type Named = { readonly name: string };

export const carriers = resource(
  'Operator',
  { name: { description: said('Name of the carrier in bongsu.yaml.'), example: 'simulator' } },
  [
    operation('GET /carriers', {
      id: 'listCarriers',
      role: 'viewer',
      summary: said('List the carriers and their state', '중계사와 상태 목록'),
      description: said('One line for each carrier and node.', '중계사와 노드마다 하나씩 반환합니다.'),
      answer: object({ carriers: listOf(Line) }),
      example: {
        carriers: [
          {
            ...{ name: 'simulator', kind: 'simulator', node: 'gateway-1', state: 'up' },
            ...{ detail: 'a simulated network', since: '2026-03-02T09:30:00+09:00', paused: false },
            ...{ channels: ['sms', 'rcs'], window: 1000, inFlight: 3, rate: 0, foundRate: 198.4 },
            ...{ throttled: 12, breakerOpenUntil: null, hint: null },
            sent: { accepted: 1204, permanent: 7, temporary: 0, unknown: 0 },
          },
        ],
      },
    }),
    operation('POST /carriers/{name}/pause', {
      ...CHANGE,
      id: 'pauseCarrier',
      summary: said('Pause a carrier', '중계사 일시정지'),
      description: said(
        'On every node, until it is resumed. Its messages go to the next carrier of their route; if there is none, they wait.',
        '다시 시작할 때까지 모든 노드에 적용됩니다. 메시지는 라우팅 규칙의 다음 중계사로 가고, 없으면 대기합니다.',
      ),
      audit: {
        action: 'carrier.pause',
        entry: ({ name }: Named) => ({ target: name, details: { paused: true } }),
      },
    }),
    operation('POST /carriers/{name}/resume', {
      ...CHANGE,
      id: 'resumeCarrier',
      summary: said('Resume a carrier', '중계사 다시 시작'),
      description: said('Messages that waited for it are sent.', '대기하던 메시지를 발송합니다.'),
      audit: {
        action: 'carrier.resume',
        entry: ({ name }: Named) => ({ target: name, details: { paused: false } }),
      },
    }),
    operation('POST /carriers/{name}/reconnect', {
      ...CHANGE,
      id: 'reconnectCarrier',
      summary: said('Try a carrier at once', '중계사 바로 재시도'),
      description: said(
        'Nodes on which it waits before the next attempt, because it refused the bind, failed or asked for a pause, make that attempt within a second. Where it works nothing changes.',
        '바인드 거절, 장애 또는 중단 요청 때문에 다음 시도를 기다리는 노드가 1초 안에 다시 시도합니다. 정상인 노드에서는 아무것도 바뀌지 않습니다.',
      ),
      audit: {
        action: 'carrier.reconnect',
        entry: ({ name }: Named) => ({ target: name, details: { reconnect: true } }),
      },
    }),
    operation('POST /carriers/{name}/test', {
      ...CHANGE,
      id: 'testCarrier',
      summary: said('Test the connection to a carrier', '중계사 연결 테스트'),
      description: said(
        'Over the current connection, without sending a message. If it succeeds, no node waits any longer before its next attempt.',
        '현재 연결로 확인하며 메시지를 보내지 않습니다. 성공하면 모든 노드가 기다리지 않고 바로 다시 시도합니다.',
      ),
      answer: object({ isOk: bit, detail: text('What was tried, and the result.', '테스트 내용과 결과.') }),
      example: { isOk: true, detail: 'the simulated network is always there' },
      audit: {
        action: 'carrier.test',
        entry: ({ name }: Named, { isOk }) => ({ target: name, details: { isOk } }),
      },
    }),
    operation('GET /routes', {
      id: 'listRoutes',
      role: 'viewer',
      summary: said('List the routes', '라우팅 규칙 목록'),
      description: said(
        'As in bongsu.yaml, and the carrier for messages that match none.',
        'bongsu.yaml의 규칙과, 일치하는 규칙이 없는 메시지의 중계사입니다.',
      ),
      answer: object({
        routes: listOf(Route),
        otherwise: orNull(
          text(
            'Carrier for all other messages; null if they are refused.',
            '그 밖의 메시지의 중계사. 거절하면 null.',
          ),
        ),
      }),
      example: { routes: [], otherwise: 'simulator' },
    }),
    operation('GET /routes/explain', {
      id: 'explainRoute',
      role: 'viewer',
      summary: said('Explain the route of a message', '발송 경로 확인'),
      description: said(
        'Nothing is sent. The current state of the carriers is taken into account.',
        '아무것도 발송하지 않습니다. 중계사의 현재 상태를 반영합니다.',
      ),
      query: {
        channel: {
          ...required(
            word({
              code: 'A300',
              values: CHANNELS,
              description: said('Channel of the message.', '메시지의 채널.'),
            }),
          ),
          example: 'sms',
        },
        to: {
          ...required(
            parsed({
              code: 'A300',
              parse: to => (/^\+?\d{3,15}$/.test(to) ? to : undefined),
              mustBe: 'digits, with + and the country code for an international number',
              description: said('Recipient.'),
            }),
          ),
          example: '01012345678',
        },
        account: accountFilter(said('Account of the sender.', '발송 계정.')),
      },
      answer: Explanation,
      example: { carrier: 'simulator', why: 'no route matches; simulator serves the rest', considered: [] },
    }),
  ],
);
