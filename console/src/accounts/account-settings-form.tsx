/** The settings of an account. What is not being changed shows what is set now; only what was changed is saved. */
import { useEffect, useState } from 'preact/hooks';
import { useAnswers } from '../answers/use-answer.tsx';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { optionsOf } from '../components/options.ts';
import { type AccountDetail, type AccountSettings, changeAccount, readAccount } from '../gateway/accounts.ts';
import { Refusal } from '../gateway/call.ts';
import { CHANNELS } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import {
  changesOf,
  SETTING_NAMES,
  SETTING_ROWS,
  type SettingName,
  type SettingRow,
  type Typed,
  textOf,
} from './setting-rows.ts';

/** The status of a refusal. */
const CHANGED_MEANWHILE = 409;

export function AccountSettingsForm({ account }: { account: AccountDetail }) {
  const t = useWords();
  const { settings } = account;
  const answers = useAnswers();
  const [typed, setTyped] = useState<Typed>({});
  /** What stood in a field when its change began. */
  const [seen, setSeen] = useState<Partial<AccountSettings>>({});
  const [isSaved, setSaved] = useState(false);
  // What was saved is shown as it is set now, once that is here.
  useEffect(() => {
    if (isSaved) setTyped({});
  }, [settings]);
  const field = (name: SettingName) => (
    <SettingField
      key={name}
      row={SETTING_ROWS[name]}
      value={settings[name]}
      typed={typed[name]}
      onChange={value => {
        setSaved(false);
        setTyped(last => ({ ...last, [name]: value }));
        setSeen(last => (name in last ? last : { ...last, [name]: settings[name] }));
      }}
    />
  );
  const isFlag = (name: SettingName) => SETTING_ROWS[name].kind === 'flag';
  return (
    <Form
      least="admin"
      submit={t.common.save}
      said={isSaved && t.common.saved}
      onSubmit={async () => {
        const changes = changesOf(settings, typed);
        const names = Object.keys(changes) as SettingName[];
        const shown = { ...settings, ...seen };
        const expected = Object.fromEntries(names.map(name => [name, shown[name]]));
        try {
          if (names.length > 0) await changeAccount(account.id, { settings: changes, expected });
        } catch (error) {
          if (error instanceof Refusal && error.status === CHANGED_MEANWHILE) {
            // The refusal says what is set now: whoever saves once more knows it.
            setSeen({});
            answers?.reload(readAccount(account.id).key);
          }
          throw error;
        }
        setSeen({});
        setSaved(true);
      }}
    >
      <div class="fields">
        {SETTING_NAMES.filter(name => !isFlag(name)).map(field)}
        <div class="checks field-wide">{SETTING_NAMES.filter(isFlag).map(field)}</div>
      </div>
    </Form>
  );
}

function SettingField(props: {
  row: SettingRow;
  value: unknown;
  typed: unknown;
  onChange: (typed: unknown) => void;
}) {
  const { row, value, onChange, typed = value } = props;
  const t = useWords();
  const label = t.accounts[row.label];
  const text = typeof props.typed === 'string' ? props.typed : textOf(row, value);
  switch (row.kind) {
    case 'choice': {
      const labels = Object.entries(row.options).map(([option, word]) => [option, t.accounts[word]]);
      const options = optionsOf(Object.fromEntries(labels));
      return <SelectField label={label} value={text} options={options} onChange={onChange} />;
    }
    case 'flag':
      return <CheckField label={label} isOn={typed === true} onChange={onChange} />;
    case 'channels':
      return (
        <ChannelsField label={label} chosen={Array.isArray(typed) ? typed : CHANNELS} onChange={onChange} />
      );
    case 'number':
    case 'megabytes':
      return (
        <TextField
          label={label}
          type="number"
          {...(row.kind === 'megabytes' && { step: 'any' })}
          {...('none' in row && row.none && { placeholder: t.accounts[row.none] })}
          value={text}
          onInput={onChange}
        />
      );
    case 'words':
      return <TextField class="field-wide" label={label} value={text} onInput={onChange} />;
    case 'lines':
      return (
        <TextField
          class="field-wide"
          label={label}
          hint={t.accounts[row.hint]}
          rows={3}
          isCode
          value={text}
          onInput={onChange}
        />
      );
    case 'url':
      return <TextField label={label} type="url" value={text} onInput={onChange} />;
    case 'text':
      return <TextField label={label} placeholder={row.example} value={text} onInput={onChange} />;
  }
}

/** All of them are no choice, which then holds for channels of later versions too. */
function ChannelsField(props: {
  label: string;
  chosen: readonly string[];
  onChange: (channels: readonly string[] | null) => void;
}) {
  const t = useWords();
  const { chosen } = props;
  return (
    <fieldset class="checks field-wide">
      <legend>{props.label}</legend>
      {CHANNELS.map(channel => (
        <CheckField
          key={channel}
          label={t.channels[channel]}
          isOn={chosen.includes(channel)}
          onChange={isOn => {
            const next = CHANNELS.filter(other => (other === channel ? isOn : chosen.includes(other)));
            props.onChange(next.length === CHANNELS.length ? null : next);
          }}
        />
      ))}
    </fieldset>
  );
}
