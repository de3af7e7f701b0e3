/** The templates that a message can be made from: found by code, name or text, and put into the step with one press. */
import { useId, useRef, useState } from 'preact/hooks';
import { TEMPLATE_STATES } from '../../../src/domain/registry/template-state.ts';
import type { TemplateView } from '../../../src/operations/templates.ts';
import { useList } from '../answers/use-list.ts';
import { useQuiet } from '../answers/use-quiet.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import type { Warning } from '../gateway/accounts.ts';
import { askList } from '../gateway/operations.ts';
import { Link } from '../router.tsx';
import { listAddress } from '../templates/address.ts';
import { TemplateBadge } from '../templates/template-badge.tsx';
import { brandOf, entryOf, kindOf, rcsOf } from '../templates/template-entry.ts';
import { lookUp, useWords } from '../words/words.tsx';
import type { StepDraft } from './draft.ts';
import type { Entry } from './entry.ts';

const MOST_OFFERED = '20';

export function TemplatePicker(props: { account: string; step: StepDraft; onPick: (entry: Entry) => void }) {
  const { account, step, onPick } = props;
  const t = useWords();
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const kind = kindOf(step.channel);
  if (!kind || !account) return null;
  const close = () => {
    setOpen(false);
    toggle.current?.focus();
  };
  const pick = (template: TemplateView) => {
    close();
    onPick(messageOf(template, step.entry));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a way out of what its controls have opened
    <div
      class="template-pick"
      onKeyDown={event => {
        if (event.key === 'Escape' && isOpen) close();
      }}
    >
      <Button isSmall isExpanded={isOpen} controls={panelId} at={toggle} onPress={() => setOpen(!isOpen)}>
        {t.templates.pick}
      </Button>
      <div id={panelId}>{isOpen && <Offer key={kind} account={account} kind={kind} onPick={pick} />}</div>
    </div>
  );
}

function Offer(props: { account: string; kind: string; onPick: (template: TemplateView) => void }) {
  const { account, kind, onPick } = props;
  const t = useWords();
  const [typed, setTyped] = useState('');
  const text = useQuiet(typed.trim());
  const { rows, more, refusal, reload } = useList(
    askList('GET /accounts/{id}/templates', 'templates', { id: account, kind, text, limit: MOST_OFFERED }),
  );
  // What can be sent comes first.
  const offered = [...(rows ?? [])].sort((one, other) => rankOf(one) - rankOf(other));
  return (
    <div class="template-offer">
      <TextField label={t.templates.find} type="search" value={typed} onInput={setTyped} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      <ul>
        {offered.map(template => (
          <li key={template.key}>
            <button type="button" onClick={() => onPick(template)}>
              <span class="template-offer-name">{template.name ?? template.key}</span>
              <TemplateBadge state={template.state} />
              {template.name !== undefined && <code>{template.key}</code>}
              <span class="template-offer-text">{template.text}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="field-hint" role="status">
        {rows && offered.length === 0 && t.templates.pickNone}
        {more && t.templates.pickMore}
      </p>
      <Link to={listAddress({ account, kind })} class="template-all">
        {t.templates.all}
      </Link>
    </div>
  );
}

function rankOf({ state }: TemplateView): number {
  return state === 'approved' ? -1 : TEMPLATE_STATES.indexOf(state);
}

function messageOf(template: TemplateView, step: Entry): Entry {
  if (template.kind === 'rcsTemplate') return rcsOf(template, template.variables, step);
  return template.kind === 'brandmessageTemplate' ? brandOf(template, step) : entryOf(template);
}

/** What the gateway says of the message, its template, its format and its files. */
export function TemplateWarnings({ warnings }: { warnings: readonly Warning[] }) {
  const t = useWords();
  const said = warnings.flatMap(({ name, keys }) => {
    if (name === 'templateState') return t.templates.warnState(lookUp(t.templates.states, keys[0] ?? ''));
    if (name === 'templateValue') return t.templates.warnValues(keys.map(key => `{{${key}}}`).join(', '));
    const [first = '', second] = keys;
    if (name === 'unknownFormat') return t.templates.warnFormat(first, second);
    if (name === 'contentKind') return t.templates.warnContentKind(first, second ?? '');
    if (name === 'unknownFile') return t.templates.warnFile(first);
    if (name !== 'templateContent') return [];
    return t.templates.warnContent(keys.map(key => lookUp(t.templates.parts, key)).join(', '));
  });
  return (
    <ul class="template-warnings" role="status">
      {said.map(sentence => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
