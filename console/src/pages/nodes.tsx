/** Nodes of the cluster: state, version and clock of each, in what they differ, draining one, and forgetting one that is gone. */

import type { Drift, NodeLine } from '../../../src/operations/nodes.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { Badge, type Tone } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Facts } from '../components/facts.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { lookUp, useWords } from '../words/words.tsx';

const LOOK_AGAIN_MS = 2000;

const TONES: Readonly<Record<NodeLine['state'], Tone>> = {
  running: 'good',
  draining: 'busy',
  drained: 'doubt',
  gone: 'bad',
};

export function NodesPage() {
  const t = useWords();
  const cluster = useAnswer(ask('GET /nodes', {}), LOOK_AGAIN_MS);
  return (
    <>
      <PageHead title={t.nodes.title} intro={t.nodes.intro} />
      <Loaded of={cluster}>
        {({ nodes, drift }) => (
          <>
            {nodes.length === 0 && <EmptyState title={t.nodes.empty} hint={t.nodes.emptyHint} />}
            {drift.length > 0 && <DriftCard drift={drift} />}
            <ul class="cards">
              {nodes.map(node => (
                <NodeCard
                  key={node.node}
                  node={node}
                  isLast={nodes.every(other => other === node || other.state !== 'running')}
                />
              ))}
            </ul>
          </>
        )}
      </Loaded>
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

/** `isLast`: no other node sends. */
function NodeCard({ node, isLast }: { node: NodeLine; isLast: boolean }) {
  const t = useWords();
  const action = useAction();
  const act = (change: 'drain' | 'resume' | 'forget') => () =>
    action.run(() => operate(`POST /nodes/{node}/${change}`, { node: node.node }));
  return (
    <li class="card">
      <header class="card-head">
        <div>
          <h2>
            {node.node} <Badge tone={TONES[node.state]}>{lookUp(t.nodes.states, node.state)}</Badge>
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
        <div class="card-actions">
          <Needs least="operator">
            {node.state === 'gone' ? (
              <ConfirmButton
                label={t.nodes.forget}
                question={t.nodes.confirmForget}
                isDisabled={action.isRunning}
                onConfirm={act('forget')}
                icon="close"
              />
            ) : node.state === 'running' ? (
              <ConfirmButton
                label={t.nodes.drain}
                question={isLast ? t.nodes.confirmDrainLast : t.nodes.confirmDrain}
                isDisabled={action.isRunning}
                onConfirm={act('drain')}
                icon="pause"
              />
            ) : (
              <Button isSmall icon="play" isDisabled={action.isRunning} onPress={act('resume')}>
                {t.nodes.resume}
              </Button>
            )}
          </Needs>
        </div>
      </header>
      <Facts
        facts={[
          [t.nodes.version, node.version ?? t.nodes.unknown],
          [t.nodes.started, node.startedAt ? <Time key="at" at={node.startedAt} /> : t.nodes.unknown],
          [t.nodes.clock, node.clockSkewMs === null ? t.nodes.ownClock : t.nodes.skew(node.clockSkewMs)],
          [t.nodes.inFlight, node.inFlight.toLocaleString('en')],
          [t.nodes.carriers, node.carriers.join(', ') || '–'],
        ]}
      />
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
