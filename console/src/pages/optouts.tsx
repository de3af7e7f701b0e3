/** Opt-outs: recipients who do not want to hear from an account. */

import { useEffect, useState } from 'preact/hooks';
import type { OptOutView } from '../../../src/operations/opt-outs.ts';
import { useList } from '../answers/use-list.ts';
import { useQuiet } from '../answers/use-quiet.ts';
import { AccountPicker, OfAccount, useAccountInAddress } from '../components/account-picker.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { FileButton } from '../components/file-button.tsx';
import { Form } from '../components/form.tsx';
import { LoadedTable } from '../components/list.tsx';
import { Needs } from '../components/needs.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { askList, operate, readFile } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { saveFile } from '../save-file.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function OptOutsPage() {
  const t = useWords();
  const choice = useAccountInAddress();
  const exporting = useAction({ isRead: true });
  const importing = useAction();
  const [told, setTold] = useState('');
  const { account } = choice;
  useEffect(() => setTold(''), [account]);
  const importFile = (file: File) =>
    importing.run(async () => {
      setTold('');
      if (!account) return;
      const asked = { id: account, file: await file.text() };
      const { added, known } = await operate('POST /accounts/{id}/optouts/csv', asked);
      setTold(t.optOuts.added(added, known));
    });
  return (
    <>
      <PageHead title={t.optOuts.title} intro={t.optOuts.intro}>
        <AccountPicker choice={choice} />
        <Button
          kind="quiet"
          isDisabled={!account || exporting.isRunning}
          onPress={() =>
            account &&
            exporting.run(async () =>
              saveFile('opt-outs.csv', await readFile('GET /accounts/{id}/optouts/csv', { id: account })),
            )
          }
        >
          {t.desk.csv}
        </Button>
        <FileButton
          label={t.optOuts.import}
          fileLabel={t.optOuts.importFile}
          accept="text/csv,.csv"
          isDisabled={!account || importing.isRunning}
          onFile={importFile}
        />
      </PageHead>
      <RefusalNotice refusal={importing.refusal ?? exporting.refusal} />
      <p role="status" class={told ? 'notice notice-good' : 'sr-only'}>
        {told}
      </p>
      <OfAccount choice={choice}>
        {owner => <OptOutList key={owner} account={owner} onTold={setTold} />}
      </OfAccount>
    </>
  );
}

/** A part of a number finds nothing: the list stays whole until the number is. */
const NUMBER = /^\+?\d{8,15}$/;

function OptOutList({ account, onTold }: { account: string; onTold: (told: string) => void }) {
  const t = useWords();
  const action = useAction();
  const [to, setTo] = useState('');
  const [showsEnded, setShowsEnded] = useState(false);
  const wanted = useQuiet(to.replace(/[\s-]/g, ''));
  const optOuts = useList(
    askList('GET /accounts/{id}/optouts', 'optOuts', {
      ...{ id: account, to: NUMBER.test(wanted) ? wanted : '' },
      state: showsEnded ? 'all' : 'current',
    }),
  );

  return (
    <>
      <AddForm account={account} onAdded={onTold} />
      <div class="filters">
        <TextField label={t.common.to} value={to} onInput={setTo} placeholder="01012345678" />
        <CheckField label={t.optOuts.showEnded} isOn={showsEnded} onChange={setShowsEnded} />
      </div>
      <RefusalNotice refusal={action.refusal} />
      <LoadedTable
        of={optOuts}
        empty={<EmptyState title={t.optOuts.empty} hint={t.optOuts.emptyHint} />}
        label={t.optOuts.title}
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
                      action.run(async () => {
                        const asked = { id: account, optOutId: row.id };
                        await operate('DELETE /accounts/{id}/optouts/{optOutId}', asked);
                        onTold(t.optOuts.endedNow);
                      })
                    }
                  />
                </Needs>
              ),
          },
        ]}
      />
    </>
  );
}

function AddForm({ account, onAdded }: { account: string; onAdded: (told: string) => void }) {
  const t = useWords();
  const [numbers, setNumbers] = useState('');
  const [sender, setSender] = useState('');
  const [covers, setCovers] = useState<OptOutView['covers']>('advertisements');
  const given = numbers
    .split(/[\n,;]/)
    .map(number => number.trim())
    .filter(Boolean);
  return (
    <Form
      class="card"
      least="operator"
      submit={t.optOuts.add}
      isReady={given.length > 0}
      onSubmit={async () => {
        const from = sender.trim();
        const optOuts = given.map(to => ({ to, covers, ...(from && { sender: from }) }));
        const { added, known } = await operate('POST /accounts/{id}/optouts', { id: account, optOuts });
        setNumbers('');
        onAdded(t.optOuts.added(added, known));
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
          options={optionsOf(t.optOuts.covering)}
          onChange={value => setCovers(value === 'all' ? 'all' : 'advertisements')}
        />
      </div>
    </Form>
  );
}
