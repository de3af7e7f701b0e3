/** The state of a template, what can be done with it, and what was. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { TemplateState } from '../../../src/domain/registry/template-state.ts';
import type { TemplateChange, TemplateDetail } from '../../../src/operations/templates.ts';
import { useAnswers } from '../answers/use-answer.tsx';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';
import { TEMPLATE_TONES, TemplateBadge } from './template-badge.tsx';

export function TemplateApproval(props: {
  account: string;
  record: TemplateDetail;
  /** What is written and not saved would be lost. */
  isChanged: boolean;
}) {
  const { account, record } = props;
  const { template, next, history } = record;
  const { kind, key, revision } = template;
  const place = { id: account, kind, key };
  const t = useWords();
  const titleId = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [asking, setAsking] = useState<TemplateState | undefined>();
  const [reason, setReason] = useState('');
  const deciding = useAction();
  const answers = useAnswers();
  const decide = (state: TemplateState) =>
    deciding.run(async () => {
      await operate('POST /accounts/{id}/templates/{kind}/{key}/state', {
        ...place,
        state,
        revision,
        reason: reason.trim(),
      });
      setAsking(undefined);
      setReason('');
      title.current?.focus();
    });
  // The button that was pressed is gone: its form takes the focus.
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [asking]);
  return (
    <section class="card" aria-labelledby={titleId}>
      <header class="card-head">
        <h2 id={titleId} ref={title} tabIndex={-1}>
          {t.templates.approval}
        </h2>
        <TemplateBadge state={template.state} />
      </header>
      <div class="template-state" role="status">
        <p class="muted">{t.templates.stateHints[template.state]}</p>
        {template.reason && <p class="template-said">{template.reason}</p>}
      </div>
      <Needs least="operator">
        {asking === undefined ? (
          <div class="card-actions">
            {next.map(state => (
              <Button
                key={state}
                {...((state === 'approved' || state === 'review') && { kind: 'main' })}
                isDisabled={deciding.isRunning || props.isChanged}
                onPress={() => setAsking(state)}
              >
                {t.templates.decisions[template.state][state]}
              </Button>
            ))}
            {props.isChanged && <span class="field-hint">{t.templates.saveFirst}</span>}
          </div>
        ) : (
          <form
            ref={form}
            class="template-decision"
            onSubmit={event => {
              event.preventDefault();
              decide(asking);
            }}
          >
            <TextField
              label={asking === 'rejected' ? t.templates.reason : t.templates.remark}
              value={reason}
              rows={2}
              onInput={setReason}
            />
            <div class="card-actions">
              <Button
                kind={asking === 'rejected' ? 'danger' : 'main'}
                isSubmit
                isDisabled={deciding.isRunning || (asking === 'rejected' && reason.trim() === '')}
              >
                {t.templates.decisions[template.state][asking]}
              </Button>
              <Button kind="quiet" onPress={() => setAsking(undefined)}>
                {t.common.cancel}
              </Button>
            </div>
          </form>
        )}
      </Needs>
      <RefusalNotice
        refusal={deciding.refusal}
        onRetry={() => answers?.reload(ask('GET /accounts/{id}/templates/{kind}/{key}', place).key)}
      />
      <h3 class="template-history-title">{t.templates.history}</h3>
      {history.length === 0 && <p class="muted">{t.templates.noHistory}</p>}
      <ol class="timeline">
        {history.map((change, index) => (
          <Change key={change.revision} change={change} before={history[index + 1]} />
        ))}
      </ol>
    </section>
  );
}

function Change({ change, before }: { change: TemplateChange; before: TemplateChange | undefined }) {
  const t = useWords();
  const isRewritten = before !== undefined && before.text !== change.text;
  return (
    <li class={`tone-${TEMPLATE_TONES[change.state]}`}>
      <p class="template-change">
        <strong>{t.templates.states[change.state]}</strong> <Time at={change.at} />{' '}
        <span class="muted">{change.by}</span>
      </p>
      {change.reason && <p>{change.reason}</p>}
      {isRewritten && (
        <details class="extras">
          <summary>{t.templates.rewritten}</summary>
          <p class="template-earlier">{before.text}</p>
        </details>
      )}
    </li>
  );
}
