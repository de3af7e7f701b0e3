/** Above a list of messages: settles those whose outcome is unknown, as the carrier has told it. */
import { useState } from 'preact/hooks';
import { DialogForm } from '../components/dialog-form.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { optionsOf } from '../components/options.ts';
import { isSettleable, settleMessages, type Told } from '../gateway/message-order.ts';
import { useWords } from '../words/words.tsx';
import { OrderBar, type OrderBarProps } from './order-bar.tsx';

const SHORTEST_REASON = 5;

export function SettleBar(props: OrderBarProps) {
  const t = useWords();
  return (
    <OrderBar
      {...props}
      words={t.settle}
      isFitting={row => isSettleable(row, props.search)}
      count={settleMessages}
      action={({ count, isFound, isDisabled, run }) => (
        <SettleButton
          label={isFound ? t.settle.settleFound(count) : t.settle.settleSelected}
          count={count}
          isDisabled={isDisabled}
          onTold={told => run(order => settleMessages(order, told))}
        />
      )}
    />
  );
}

/** Asks what became of them, and how that is known. */
function SettleButton(props: {
  label: string;
  count: number;
  isDisabled: boolean;
  onTold: (told: Told) => void;
}) {
  const t = useWords();
  const [outcome, setOutcome] = useState<Told['outcome']>('delivered');
  const [code, setCode] = useState('');
  const [reason, setReason] = useState('');
  const isFailed = outcome === 'failed';
  const { delivered, failed } = t.states;
  return (
    <DialogForm
      button={{
        kind: 'quiet',
        isSmall: true,
        icon: 'check',
        isDisabled: props.isDisabled,
        children: props.label,
      }}
      title={t.settle.question(props.count)}
      submit={props.label}
      isReady={reason.trim().length >= SHORTEST_REASON && (!isFailed || /^\d{5}$/.test(code.trim()))}
      onSubmit={async () =>
        props.onTold({ outcome, reason: reason.trim(), ...(isFailed && { code: code.trim() }) })
      }
    >
      <p class="muted">{t.settle.intro}</p>
      <SelectField
        label={t.settle.outcome}
        value={outcome}
        options={optionsOf({ delivered, failed })}
        onChange={value => setOutcome(value === 'failed' ? 'failed' : 'delivered')}
      />
      {isFailed && (
        <TextField label={t.common.code} hint={t.settle.codeHint} value={code} onInput={setCode} isCode />
      )}
      <TextField label={t.reveal.reason} hint={t.settle.reasonHint} value={reason} onInput={setReason} />
    </DialogForm>
  );
}
