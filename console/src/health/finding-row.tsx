/** One thing that is wrong, in a line: since when, what it keeps from happening, and what can be done here. */
import type { ComponentChildren } from 'preact';
import type { CarrierLine } from '../../../src/operations/carriers.ts';
import type { Finding } from '../../../src/operations/health.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { useCarrierActions } from '../carriers/carrier-actions.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';

import { askMember, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link } from '../router.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';

interface Place {
  readonly path: string;
  readonly word: 'carriers' | 'webhooks' | 'nodes';
}

/** Where an area is looked at closely. */
const PLACES: Readonly<Record<string, Place>> = {
  carriers: { path: '/carriers', word: 'carriers' },
  webhooks: { path: '/webhooks', word: 'webhooks' },
  nodes: { path: '/nodes', word: 'nodes' },
  queue: { path: '/carriers', word: 'carriers' },
};

export function FindingRow({ finding, isWhole = false }: { finding: Finding; isWhole?: boolean }) {
  const { area, about } = finding;
  if (area === 'carriers' && about !== null) {
    return <CarrierFinding finding={finding} name={about} isWhole={isWhole} />;
  }
  if (area === 'nodes' && about !== null) {
    return <NodeFinding finding={finding} name={about} isWhole={isWhole} />;
  }
  return <Row finding={finding} isWhole={isWhole} />;
}

function CarrierFinding(props: { finding: Finding; name: string; isWhole: boolean }) {
  const { answer: carriers } = useAnswer(askMember('GET /carriers', 'carriers', {}));
  const carrier = carriers?.find(({ name }) => name === props.name);
  return carrier ? <KnownCarrier {...props} carrier={carrier} /> : <Row {...props} />;
}

function KnownCarrier(props: { finding: Finding; carrier: CarrierLine; isWhole: boolean }) {
  const { buttons, outcome } = useCarrierActions(props.carrier);
  return <Row finding={props.finding} isWhole={props.isWhole} actions={buttons} outcome={outcome} />;
}

/** A drained node can be resumed here; for a node that is gone there is only the link to its page. */
function NodeFinding({ name, ...props }: { finding: Finding; name: string; isWhole: boolean }) {
  const t = useWords();
  const action = useAction();
  const canResume = props.finding.advice.includes('bongsu node resume');
  return (
    <Row
      {...props}
      actions={
        canResume && (
          <Needs least="operator">
            <Button
              isSmall
              icon="play"
              isDisabled={action.isRunning}
              onPress={() => action.run(() => operate('POST /nodes/{node}/resume', { node: name }))}
            >
              {t.nodes.resume}
            </Button>
          </Needs>
        )
      }
      outcome={<RefusalNotice refusal={action.refusal} />}
    />
  );
}

function Row(props: {
  finding: Finding;
  isWhole: boolean;
  actions?: ComponentChildren;
  outcome?: ComponentChildren;
}) {
  const t = useWords();
  const { area, verdict, detail, advice, since, effect, about } = props.finding;
  const place = Object.hasOwn(PLACES, area) ? PLACES[area] : undefined;
  const query = area === 'webhooks' && about !== null ? `?account=${encodeURIComponent(about)}` : '';
  return (
    <li class="finding">
      <div class="finding-said">
        <Badge tone={verdict === 'problem' ? 'bad' : 'doubt'}>{t.health.verdicts[verdict]}</Badge>
        <p>
          <strong>{detail}</strong>{' '}
          <span class="finding-around">
            {[since !== null && ageOf(since, t), effect].filter(Boolean).join(' · ')}
          </span>
        </p>
      </div>
      <div class="card-actions">
        {props.actions}
        {place && (
          <Link to={`${place.path}${query}`} class="button button-quiet button-small">
            {t.health.open(t.nav[place.word])}
          </Link>
        )}
      </div>
      {props.isWhole && advice !== '' && <p class="muted finding-advice">{advice}</p>}
      {props.outcome}
    </li>
  );
}

const MINUTE_MS = 60_000;

function ageOf(since: string, t: Words): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / MINUTE_MS));
  if (Number.isNaN(minutes)) return '';
  if (minutes < 120) return t.health.forMinutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? t.health.forHours(hours) : t.health.forDays(Math.floor(hours / 24));
}
