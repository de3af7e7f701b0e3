/** Opt-outs: recipients who do not want to hear from an account. */
import { useState } from 'preact/hooks';
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { addOptOuts, endOptOut, exportOptOuts, listOptOuts, type OptOut } from '../gateway/optouts.ts';
import { useAction } from '../gateway/use-action.ts';
import { saveFile } from '../save-file.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function OptOutsPage() {
  const t = useWords();
  const choice = useAccountInAddress();
  const exporting = useAction();
  const { account, accounts } = choice;
  return (
    <>
      <PageHead title={t.optOuts.title} intro={t.optOuts.intro}>
        <AccountPicker choice={choice} />
        <button
          type="button"
          class="button button-quiet"
          disabled={!account || exporting.isRunning}
          onClick={() =>
            account && exporting.run(async () => saveFile('opt-outs.csv', await exportOptOuts(account)))
          }
        >
          {t.optOuts.export}
        </button>
      </PageHead>
      <RefusalNotice refusal={exporting.refusal} />
      {account && <OptOutList key={account} account={account} />}
      {!account && accounts?.length === 0 && (
        <EmptyState title={t.accounts.empty} hint={t.accounts.emptyHint} />
      )}
      {!account && !accounts && <Loading />}
    </>
  );
}

function OptOutList({ account }: { account: string }) {
  const t = useWords();
  const action = useAction();
  const [to, setTo] = useState('');
  const [showsEnded, setShowsEnded] = useState(false);
  const [told, setTold] = useState('');
  const paged = usePaged<OptOut>(
    async (cursor, signal) => {
      const query = {
        state: showsEnded ? 'all' : 'current',
        ...(to && { to }),
        ...(cursor && { cursor }),
      } as const;
      const { optOuts, next } = await listOptOuts(account, query, signal);
      return { rows: optOuts, next };
    },
    [account, to, showsEnded],
  );
  const { rows, refusal, reload } = paged;
  const change = (work: () => Promise<string>) =>
    action.run(async () => {
      setTold(await work());
      reload();
    });

  return (
    <>
      <Needs least="operator">
        <AddForm
          isBusy={action.isRunning}
          onAdd={(numbers, sender, covers) =>
            change(async () => {
              const given = numbers.map(number => ({ to: number, covers, ...(sender && { sender }) }));
              const { added, known } = await addOptOuts(account, given);
              return t.optOuts.added(added, known);
            })
          }
        />
      </Needs>
      <div class="filters">
        <TextField label={t.common.to} value={to} onInput={setTo} placeholder="01012345678" />
        <CheckField label={t.optOuts.showEnded} isOn={showsEnded} onChange={setShowsEnded} />
      </div>
      <p role="status" class={told ? 'notice notice-good' : 'sr-only'}>
        {told}
      </p>
      <RefusalNotice refusal={action.refusal} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!rows && !refusal && <Loading />}
      {rows?.length === 0 && <EmptyState title={t.optOuts.empty} hint={t.optOuts.emptyHint} />}
      {rows && rows.length > 0 && (
        <Table
          label={t.optOuts.title}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { name: t.common.to, cell: row => row.to },
            {
              name: t.optOuts.sender,
              cell: row => (row.sender === '*' ? t.common.all : row.sender),
              isLong: true,
            },
            { name: t.optOuts.covers, cell: row => t.optOuts.covering[row.covers] },
            { name: t.optOuts.since, cell: row => <Time at={row.since} /> },
            {
              name: t.optOuts.how,
              cell: row => `${lookUp(t.optOuts.ways, row.sinceWay)} · ${row.sinceBy}`,
              isLong: true,
            },
            {
              name: t.optOuts.consent,
              cell: row =>
                row.ended ? (
                  <Time at={row.ended} />
                ) : (
                  <Needs least="operator">
                    <ConfirmButton
                      label={t.optOuts.end}
                      question={t.optOuts.endQuestion}
                      onConfirm={() =>
                        change(async () => {
                          await endOptOut(account, row.id);
                          return t.optOuts.endedNow;
                        })
                      }
                    />
                  </Needs>
                ),
            },
          ]}
        />
      )}
      <MoreButton paged={paged} />
    </>
  );
}

function AddForm(props: {
  isBusy: boolean;
  /** Whether they were taken; if not, they stay in the form. */
  onAdd: (numbers: readonly string[], sender: string, covers: OptOut['covers']) => Promise<boolean>;
}) {
  const t = useWords();
  const [numbers, setNumbers] = useState('');
  const [sender, setSender] = useState('');
  const [covers, setCovers] = useState<OptOut['covers']>('advertisements');
  const given = numbers
    .split(/[\n,;]/)
    .map(number => number.trim())
    .filter(Boolean);
  return (
    <form
      class="card"
      onSubmit={async event => {
        event.preventDefault();
        if (await props.onAdd(given, sender.trim(), covers)) setNumbers('');
      }}
    >
      <div class="fields">
        <TextField
          class="field-wide"
          label={t.optOuts.numbers}
          hint={t.optOuts.numbersHint}
          rows={3}
          value={numbers}
          onInput={setNumbers}
        />
        <TextField label={t.optOuts.sender} placeholder={t.common.all} value={sender} onInput={setSender} />
        <SelectField
          label={t.optOuts.covers}
          value={covers}
          options={[
            { value: 'advertisements', label: t.optOuts.covering.advertisements },
            { value: 'all', label: t.optOuts.covering.all },
          ]}
          onChange={value => setCovers(value === 'all' ? 'all' : 'advertisements')}
        />
      </div>
      <div class="form-end">
        <button type="submit" class="button button-main" disabled={props.isBusy || given.length === 0}>
          {t.optOuts.add}
        </button>
      </div>
    </form>
  );
}
