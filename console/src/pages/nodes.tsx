/** Nodes of the cluster: state, version and clock of each, in what they differ, and draining one. */
import { Badge, type Tone } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { type Drift, drainNode, listNodes, type Node, resumeNode } from '../gateway/nodes.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { useRepeated } from '../gateway/use-repeated.ts';
import { useWords } from '../words/words.tsx';

const LOOK_AGAIN_MS = 2000;

const TONES: Readonly<Record<Node['state'], Tone>> = {
  running: 'good',
  draining: 'busy',
  drained: 'doubt',
  gone: 'bad',
};

export function NodesPage() {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => listNodes(signal), []);
  useRepeated(reload, LOOK_AGAIN_MS);
  return (
    <>
      <PageHead title={t.nodes.title} intro={t.nodes.intro} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && <Loading />}
      {answer?.nodes.length === 0 && <EmptyState title={t.nodes.empty} hint={t.nodes.emptyHint} />}
      {answer && answer.drift.length > 0 && <DriftCard drift={answer.drift} />}
      <ul class="cards">
        {answer?.nodes.map(node => (
          <NodeCard key={node.node} node={node} onChanged={reload} />
        ))}
      </ul>
    </>
  );
}

function DriftCard({ drift }: { drift: readonly Drift[] }) {
  const t = useWords();
  return (
    <section class="card" aria-label={t.nodes.driftTitle}>
      <h2>
        {t.nodes.driftTitle} <Badge tone="doubt">{String(drift.length)}</Badge>
      </h2>
      <p class="muted">{t.nodes.driftHint}</p>
      <ul>
        {drift.map(({ kind, name, groups }) => (
          <li key={`${kind} ${name}`}>
            <strong>{[t.nodes.kinds[kind], name].filter(Boolean).join(' ')}</strong>:{' '}
            {groups.map(group => group.join(', ')).join(' ≠ ')}
          </li>
        ))}
      </ul>
    </section>
  );
}

function NodeCard({ node, onChanged }: { node: Node; onChanged: () => void }) {
  const t = useWords();
  const action = useAction();
  const isRunning = node.state === 'running';
  const toggle = () =>
    action.run(async () => {
      await (isRunning ? drainNode(node.node) : resumeNode(node.node));
      onChanged();
    });
  return (
    <li class="card">
      <header class="card-head">
        <div>
          <h2>
            {node.node} <Badge tone={TONES[node.state] ?? 'plain'}>{t.nodes.states[node.state]}</Badge>
          </h2>
          <p class="muted">
            {[node.host, node.pid !== null && t.nodes.pid(node.pid)].filter(Boolean).join(' · ')}
            {node.since && (
              <>
                {' · '}
                {t.nodes.since.before}
                <Time at={node.since} />
                {t.nodes.since.after}
              </>
            )}
          </p>
        </div>
        {node.state !== 'gone' && (
          <div class="card-actions">
            <Needs least="operator">
              {isRunning ? (
                <ConfirmButton
                  label={t.nodes.drain}
                  question={t.nodes.confirmDrain}
                  isDisabled={action.isRunning}
                  onConfirm={toggle}
                >
                  <Icon name="pause" />
                </ConfirmButton>
              ) : (
                <button
                  type="button"
                  class="button button-small"
                  disabled={action.isRunning}
                  onClick={toggle}
                >
                  <Icon name="play" /> {t.nodes.resume}
                </button>
              )}
            </Needs>
          </div>
        )}
      </header>
      <dl class="summary">
        <div>
          <dt>{t.nodes.version}</dt>
          <dd>{node.version ?? t.nodes.unknown}</dd>
        </div>
        <div>
          <dt>{t.nodes.started}</dt>
          <dd>{node.startedAt ? <Time at={node.startedAt} /> : t.nodes.unknown}</dd>
        </div>
        <div>
          <dt>{t.nodes.clock}</dt>
          <dd>{node.clockSkewMs === null ? t.nodes.ownClock : t.nodes.skew(node.clockSkewMs)}</dd>
        </div>
        <div>
          <dt>{t.nodes.inFlight}</dt>
          <dd>{node.inFlight.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>{t.nodes.carriers}</dt>
          <dd>{node.carriers.join(', ') || '–'}</dd>
        </div>
      </dl>
      {node.state === 'drained' && (
        <p class="notice notice-good" role="status">
          {t.nodes.mayStop}
        </p>
      )}
      {node.isClockWrong && node.state !== 'gone' && (
        <p class="notice notice-bad" role="status">
          {t.nodes.wrongClock}
        </p>
      )}
      <RefusalNotice refusal={action.refusal} />
    </li>
  );
}
