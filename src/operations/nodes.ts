/** The nodes of the cluster. */
import { operation, resource } from './operation.ts';
import {
  count,
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

const Line = named(
  'Node',
  object({
    node: text('Its name: BONGSU_NODE_NAME, or host and port.'),
    host: orNull(text('The host it runs on.', '노드가 실행되는 호스트.')),
    pid: orNull(integer('Its process id there.', '호스트에서의 프로세스 번호.')),
    version: orNull(text('Its version.')),
    state: oneOf(
      ['running', 'draining', 'drained', 'gone'],
      'drained: it sends nothing and waits for no answer, and may be stopped. gone: it died, and has not been started again under its name.',
      'drained: 발송하지 않고 기다리는 응답도 없어 종료해도 됩니다. gone: 비정상 종료되었고 같은 이름으로 다시 시작되지 않았습니다.',
    ),
    startedAt: orNull(text('When it started.', '시작한 시각.')),
    since: orNull(text('Since when it is draining, or gone.', '비우기 시작했거나 사라진 시각.')),
    clockSkewMs: orNull(
      integer(
        'How far its clock is ahead of the clock of the database, in milliseconds; null if unknown.',
        '노드의 시계가 데이터베이스의 시계보다 앞선 정도(밀리초). 알 수 없으면 null.',
      ),
    ),
    isClockWrong: flag('Its clock is more than two seconds off.', '시계가 2초 넘게 어긋나 있습니다.'),
    inFlight: count('Parts that wait for an answer of a carrier.'),
    carriers: listOf(name, 'Carriers that it runs.', '노드에서 실행 중인 중계사.'),
  }),
);
/** In what the living nodes differ that should be the same on all of them. */
const Difference = named(
  'NodeDrift',
  object({
    kind: oneOf(
      ['version', 'mode', 'setting', 'dataKeys', 'carrier', 'routes'],
      'What differs.',
      '다른 항목.',
    ),
    name: text(
      'The setting or the carrier; empty for the others.',
      '설정 또는 중계사 이름. 그 밖에는 비어 있습니다.',
    ),
    groups: listOf(
      listOf(name, 'Nodes that agree with each other.', '서로 같은 노드.'),
      'The nodes, grouped by who agrees, the largest group first.',
      '서로 같은 노드끼리 묶은 목록. 큰 묶음부터 나옵니다.',
    ),
  }),
);
const List = object({ nodes: listOf(Line), drift: listOf(Difference) });

export type NodeLine = Of<typeof Line>;
export type Drift = Of<typeof Difference>;

const EXAMPLE: NodeLine = {
  node: 'gateway-1',
  host: 'gateway-1.internal',
  pid: 412,
  version: '0.3.0',
  state: 'running',
  startedAt: '2026-03-02T09:30:00+09:00',
  since: null,
  clockSkewMs: 3,
  isClockWrong: false,
  inFlight: 12,
  carriers: ['sky'],
};
const CHANGE = {
  role: 'operator',
  answer: object({ node: text('The node.', '노드.') }),
  example: { node: 'gateway-1' },
  notFound: said('There is no such node.', '해당 노드가 없습니다.'),
} as const;
type Changed = { readonly node: string };

export const nodes = resource(
  'Operator',
  {
    node: {
      description: said(
        'Name of the node, or of a host on which one node runs.',
        '노드 이름, 또는 노드가 하나만 실행되는 호스트 이름.',
      ),
      example: 'gateway-1',
    },
  },
  [
    operation('GET /nodes', {
      id: 'listNodes',
      role: 'viewer',
      summary: said('List the nodes, and in what they differ', '노드와 노드 간 설정 차이 조회'),
      description: said(
        'All nodes that share the database, those that died within the last day included. Settings are compared by fingerprints; settings that may differ, such as the port, are not.',
        '데이터베이스를 함께 쓰는 모든 노드입니다. 최근 하루 안에 비정상 종료된 노드도 포함합니다. 설정은 지문으로 비교하며, 포트처럼 노드마다 달라도 되는 설정은 비교하지 않습니다.',
      ),
      answer: List,
      example: {
        nodes: [EXAMPLE],
        drift: [{ kind: 'setting', name: 'BONGSU_QUEUE_LIMIT', groups: [['gateway-1'], ['gateway-2']] }],
      },
    }),
    operation('POST /nodes/{node}/drain', {
      ...CHANGE,
      id: 'drainNode',
      summary: said('Drain a node', '노드 비우기'),
      description: said(
        'Within two seconds it is not ready, and sends and fetches nothing more; other nodes do. It still answers requests, so that none is lost before the load balancer has noticed. When its state is drained, it may be stopped.',
        '2초 안에 준비되지 않음 상태가 되고, 발송과 결과 조회를 더 하지 않습니다. 다른 노드가 대신합니다. 로드 밸런서가 알아차리기 전의 요청을 잃지 않도록 요청에는 계속 응답합니다. 상태가 drained가 되면 종료해도 됩니다.',
      ),
      needs: 'gateway on SQLite',
      audit: {
        action: 'node.drain',
        entry: (_, { node }: Changed) => ({ target: node, details: { draining: true } }),
      },
    }),
    operation('POST /nodes/{node}/resume', {
      ...CHANGE,
      id: 'resumeNode',
      summary: said('Let a drained node send again', '비운 노드의 발송 재개'),
      description: said('Ends the draining of a node.', '노드 비우기를 끝냅니다.'),
      needs: 'gateway on SQLite',
      audit: {
        action: 'node.resume',
        entry: (_, { node }: Changed) => ({ target: node, details: { draining: false } }),
      },
    }),
    operation('POST /nodes/{node}/forget', {
      ...CHANGE,
      id: 'forgetNode',
      summary: said('Forget a node that is gone', '사라진 노드 지우기'),
      description: said(
        'It is no longer shown, nor are its carriers. A node that is alive is refused with A300. Its messages are taken over in either case; a node that has died is forgotten after a day by itself.',
        '노드와 그 중계사를 더는 표시하지 않습니다. 실행 중인 노드는 A300으로 거절합니다. 메시지는 어느 경우든 다른 노드가 넘겨받으며, 종료된 노드는 하루 뒤 저절로 지워집니다.',
      ),
      audit: {
        action: 'node.forget',
        entry: (_, { node }: Changed) => ({ target: node, details: { forgotten: true } }),
      },
    }),
  ],
);
