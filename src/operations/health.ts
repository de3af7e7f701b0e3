/** How a node and the installation are doing, and what to do about it. */
import { word } from '../domain/request/field-kinds.ts';
import { EXAMPLE_TIME } from './common.ts';
import { operation, resource } from './operation.ts';
import { DEPTH_EXAMPLE, Depth } from './queue.ts';
import {
  count,
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
  time,
} from './shapes.ts';
import { said } from './words.ts';

export const AREAS = [
  'configuration',
  'certificate',
  'store',
  'durability',
  'disk',
  'clock',
  'nodes',
  'carriers',
  'webhooks',
  'forms',
  'queue',
] as const;
const VERDICTS = ['ok', 'warning', 'problem'] as const;
/**
 * all        everything
 * pressing   what may need somebody now. It is asked for every few seconds, so it leaves out slow checks and those whose
 *            result changes only with the configuration.
 */
const SCOPES = ['all', 'pressing'] as const;

export type Area = (typeof AREAS)[number];
export type Scope = (typeof SCOPES)[number];

const advice = text('What to do; empty if there is nothing to do.', '조치 방법. 없으면 비어 있습니다.');

const Disk = object({
  state: described(
    plain<'ok' | 'low'>({ enum: ['ok', 'low'] }),
    'low: reservations and uploads are refused.',
    'low: 예약과 업로드를 거절합니다.',
  ),
  freeBytes: integer('Free bytes.', '여유 공간(바이트).'),
  totalBytes: integer('Size of the disk in bytes.', '디스크 크기(바이트).'),
  reserveBytes: integer('With fewer bytes free it is low.', '여유 공간이 이보다 적으면 low입니다.'),
  advice,
});
const CARRIER_STATES = [
  'idle',
  'moving',
  'full',
  'stuck',
  'waiting',
  'connecting',
  'slowed',
  'down',
  'paused',
] as const;
const Health = object({
  node: text('Its name: BONGSU_NODE_NAME, or host and port.'),
  version: text('Its version.'),
  ready: flag('The state that /readyz answers.', '/readyz가 응답하는 상태.'),
  reason: orNull(text('Why it is not ready; null if it is.', '준비되지 않은 이유. 준비되었으면 null.')),
  store: object({
    state: plain<'ok' | 'away' | 'full'>({ enum: ['ok', 'away', 'full'] }),
    since: text('When this state began.'),
    detail: text('Message of the store.', '저장소의 메시지.'),
    advice,
    risks: listOf(
      object({
        setting: text('Setting of PostgreSQL.', 'PostgreSQL 설정.'),
        value: text('Its value.', '설정값.'),
        risk: text('What may happen.', '일어날 수 있는 일.'),
        advice,
      }),
      'Why PostgreSQL may lose accepted messages; empty if no reason is known.',
      'PostgreSQL이 접수한 메시지를 잃을 수 있는 이유. 알려진 이유가 없으면 비어 있습니다.',
    ),
  }),
  clock: object({
    isTrusted: flag(
      'While it is false, nothing is deleted, expired or released.',
      'false인 동안에는 시간에 따른 삭제, 종료, 예약 발송을 하지 않습니다.',
    ),
    detail: text('Why not; empty if it is.', '그 이유. 믿을 수 있으면 빈 값.'),
    aheadMs: orNull(
      integer(
        'Milliseconds that the wall clock of this machine is ahead of the database; null with SQLite.',
        '이 장비의 시계가 데이터베이스보다 앞선 밀리초. SQLite이면 null.',
      ),
    ),
  }),
  disk: plain<Of<typeof Disk> | null>({
    description: said(
      'The disk of the data directory; null if it is not used, or not known yet.',
      '데이터 디렉터리의 디스크. 사용하지 않거나 아직 확인하지 않았으면 null입니다.',
    ),
    oneOf: [{ type: 'null' }, Disk.schema],
  }),
  queue: described(Depth, 'As this node counted it last.', '이 노드가 마지막으로 센 값.'),
  inFlight: count('Parts that wait for an answer of a carrier.'),
  carriers: listOf(
    object({
      name: text('Name of the carrier.', '중계사 이름.'),
      state: plain<(typeof CARRIER_STATES)[number]>({ enum: CARRIER_STATES }),
      detail: text('Reason given by the carrier.', '중계사가 알려 준 이유.'),
      headAgeSeconds: integer(
        'How long its oldest ready message has been due.',
        '가장 오래된 전송 대기 메시지의 대기 시간.',
      ),
      windowFullSeconds: integer('How long its window has been full.', '응답 대기 한도가 가득 찬 시간.'),
      advice,
    }),
  ),
});
const Found = named(
  'Finding',
  object({
    area: oneOf(AREAS, 'What was looked at.', '점검한 항목.'),
    verdict: oneOf(VERDICTS, 'How bad it is.', '심각도.'),
    detail: text('What was found.', '점검 결과.'),
    advice,
    about: orNull(
      text(
        'The carrier, account or node that it is about, by its area.',
        '대상 중계사, 계정 또는 노드(area에 따라 다름).',
      ),
    ),
    since: orNull(time('Since when, as far as that is known.', '시작 시각(아는 경우).')),
    effect: text('What it keeps from happening; empty if that is not known.', '영향. 모르면 빈 문자열.'),
  }),
);

/** What a node knows of itself without asking anybody but its store, which may be away. */
export type HealthView = Of<typeof Health>;
export type Finding = Of<typeof Found>;

export const health = resource('Operator', {}, [
  operation('GET /health', {
    id: 'readHealth',
    role: 'viewer',
    summary: said('Health of this node', '노드 상태'),
    description: said(
      'What this node knows of itself: the state of the store, the disk and each carrier, with advice. Answered while the store is away, too, with the admin token of the configuration.',
      '이 노드가 스스로 아는 상태입니다. 저장소, 디스크, 중계사별 상태와 조치를 알려 줍니다. 저장소가 응답하지 않는 동안에도 설정의 관리자 토큰으로 조회할 수 있습니다.',
    ),
    needs: 'gateway',
    answer: Health,
    example: {
      ...{ node: 'gateway-1', version: '0.3.0', ready: true, reason: null },
      store: { state: 'ok', since: EXAMPLE_TIME, detail: '', advice: '', risks: [] },
      clock: { isTrusted: true, detail: '', aheadMs: 3 },
      disk: {
        ...{ state: 'ok', freeBytes: 61_000_000_000, totalBytes: 80_000_000_000 },
        ...{ reserveBytes: 4_000_000_000, advice: '' },
      },
      queue: DEPTH_EXAMPLE,
      inFlight: 12,
      carriers: [
        {
          ...{ name: 'acme', state: 'full', detail: 'https://api.acme.example' },
          ...{ headAgeSeconds: 84, windowFullSeconds: 83 },
          advice: 'Ask the carrier why it does not answer; other carriers are not affected.',
        },
      ],
    },
  }),
  operation('GET /doctor', {
    id: 'examine',
    role: 'viewer',
    summary: said('Examine the installation', '설치 상태 점검'),
    description: said(
      'Configuration, certificate, store, durability, disk, clock, carriers, webhooks and queue: what was found in each, and what to do. The store is not read for damage; `bongsu doctor` on its machine does that. While the store is away, what this node knows by itself is examined.',
      '설정, 인증서, 저장소, 내구성, 디스크, 시계, 중계사, 웹훅, 대기열을 점검하고 결과와 조치 방법을 반환합니다. 저장소의 손상 여부는 읽어서 확인하지 않으며, 해당 장비에서 `bongsu doctor`로 확인합니다. 저장소가 응답하지 않는 동안에는 이 노드가 스스로 아는 것만 점검합니다.',
    ),
    query: {
      scope: {
        ...word({
          code: 'A300',
          values: SCOPES,
          description: said(
            'all: everything. pressing: what may need somebody now, without the configuration, the forms and the size of the store. all if absent.',
            'all: 전체. pressing: 지금 조치가 필요할 수 있는 항목만 점검하며, 설정과 메시지 폼, 저장소 크기는 제외합니다. 없으면 all.',
          ),
        }),
        example: 'pressing',
      },
    },
    answer: object({ findings: listOf(Found) }),
    example: {
      findings: [
        {
          ...{ area: 'carriers', verdict: 'problem', detail: 'The carrier sky is down: connection refused' },
          advice: 'Try it with "bongsu carrier test"; see docs/carriers.md.',
          ...{
            about: 'sky',
            since: EXAMPLE_TIME,
            effect: '12 messages are waiting; there is no other carrier',
          },
        },
      ],
    },
  }),
]);
