import { useState } from 'preact/hooks';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Account, type AccountSettings, changeAccount } from '../gateway/accounts.ts';
import { CHANNELS } from '../gateway/steps.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

const MEGABYTE = 1_000_000;

export function AccountSettingsForm({ account, onSaved }: { account: Account; onSaved: () => void }) {
  const t = useWords();
  const [settings, setSettings] = useState<AccountSettings>(account.settings);
  // As typed: 0. is not yet 0.5.
  const [megabytes, setMegabytes] = useState(String(account.settings.fileBytes / MEGABYTE));
  const [reservedMegabytes, setReservedMegabytes] = useState(
    String(account.settings.reservationBytes / MEGABYTE),
  );
  const [isSaved, setSaved] = useState(false);
  const saving = useAction();
  const set = (part: Partial<AccountSettings>) => {
    setSaved(false);
    setSettings(last => ({ ...last, ...part }));
  };
  const save = async (event: Event) => {
    event.preventDefault();
    const addresses = settings.addresses.filter(address => address.trim() !== '');
    const isDone = await saving.run(
      async () => void (await changeAccount(account.id, { settings: { ...settings, addresses } })),
    );
    setSaved(isDone);
    if (isDone) onSaved();
  };
  const allowed = settings.channels ?? CHANNELS;
  return (
    <form onSubmit={save}>
      <div class="fields">
        <SelectField
          label={t.accounts.reportMode}
          value={settings.reportMode}
          options={[
            { value: 'polling', label: t.accounts.polling },
            { value: 'webhook', label: t.accounts.webhook },
          ]}
          onChange={value => set({ reportMode: value === 'webhook' ? 'webhook' : 'polling' })}
        />
        <TextField
          label={t.accounts.webhookUrl}
          type="url"
          value={settings.webhookUrl ?? ''}
          onInput={webhookUrl => set({ webhookUrl: webhookUrl || null })}
        />
        <TextField
          label={t.accounts.sendRate}
          type="number"
          placeholder={t.accounts.noLimit}
          value={String(settings.sendRate ?? '')}
          onInput={value => set({ sendRate: value ? Number(value) : null })}
        />
        <TextField
          label={t.accounts.callRate}
          type="number"
          placeholder={t.accounts.noLimit}
          value={String(settings.callRate ?? '')}
          onInput={value => set({ callRate: value ? Number(value) : null })}
        />
        <TextField
          label={t.accounts.recipientLimit}
          type="number"
          value={String(settings.recipientLimit)}
          onInput={value => set({ recipientLimit: Number(value) })}
        />
        <TextField
          label={t.accounts.duplicateWindow}
          type="number"
          placeholder={t.accounts.noLimit}
          value={String(settings.duplicateWindow ?? '')}
          onInput={value => set({ duplicateWindow: value ? Number(value) : null })}
        />
        <TextField
          label={t.accounts.formLimit}
          type="number"
          value={String(settings.formLimit)}
          onInput={value => set({ formLimit: Number(value) })}
        />
        <TextField
          label={t.accounts.reservationLimit}
          type="number"
          value={String(settings.reservationLimit)}
          onInput={value => set({ reservationLimit: Number(value) })}
        />
        <TextField
          label={t.accounts.reservationRecipientsLimit}
          type="number"
          value={String(settings.reservationRecipients)}
          onInput={value => set({ reservationRecipients: Number(value) })}
        />
        <TextField
          label={t.accounts.reservationMegabytes}
          type="number"
          step="any"
          value={reservedMegabytes}
          onInput={value => {
            setReservedMegabytes(value);
            set({ reservationBytes: Math.round(Number(value) * MEGABYTE) });
          }}
        />
        <TextField
          label={t.accounts.fileLimit}
          type="number"
          value={String(settings.fileLimit)}
          onInput={value => set({ fileLimit: Number(value) })}
        />
        <TextField
          label={t.accounts.fileMegabytes}
          type="number"
          step="any"
          value={megabytes}
          onInput={value => {
            setMegabytes(value);
            set({ fileBytes: Math.round(Number(value) * MEGABYTE) });
          }}
        />
        <TextField
          label={t.accounts.tokenLimit}
          type="number"
          placeholder={t.accounts.gatewayLimit}
          value={String(settings.tokenLimit ?? '')}
          onInput={value => set({ tokenLimit: value ? Number(value) : null })}
        />
        <TextField
          label={t.accounts.webhookCalls}
          type="number"
          value={String(settings.webhookCalls)}
          onInput={value => set({ webhookCalls: Number(value) })}
        />
        <SelectField
          label={t.accounts.reportRecords}
          value={settings.reportRecords}
          options={[
            { value: 'every', label: t.accounts.every },
            { value: 'final', label: t.accounts.final },
          ]}
          onChange={value => set({ reportRecords: value === 'final' ? 'final' : 'every' })}
        />
        <SelectField
          label={t.accounts.reportFormat}
          value={settings.reportFormat}
          options={[
            { value: 'spec', label: t.accounts.spec },
            { value: 'legacy', label: t.accounts.legacy },
          ]}
          onChange={value => set({ reportFormat: value === 'legacy' ? 'legacy' : 'spec' })}
        />
        <SelectField
          label={t.accounts.advertisements}
          value={settings.advertisements}
          options={[
            { value: 'asIs', label: t.accounts.adsAsIs },
            { value: 'refuse', label: t.accounts.adsRefuse },
            { value: 'defer', label: t.accounts.adsDefer },
          ]}
          onChange={value => {
            const advertisements = value === 'refuse' || value === 'defer' ? value : 'asIs';
            set({ advertisements, adGuard: advertisements !== 'asIs' });
          }}
        />
        <TextField
          label={t.accounts.adHours}
          placeholder="08:00-20:50"
          value={settings.adHours}
          onInput={adHours => set({ adHours })}
        />
        <TextField
          class="field-wide"
          label={t.accounts.optOutKeywords}
          value={settings.optOutKeywords.join(', ')}
          onInput={value =>
            set({
              optOutKeywords: value
                .split(',')
                .map(word => word.trim())
                .filter(Boolean),
            })
          }
        />
        <TextField
          class="field-wide"
          label={t.accounts.addresses}
          hint={t.accounts.addressesHint}
          rows={3}
          isCode
          value={settings.addresses.join('\n')}
          onInput={value => set({ addresses: value.split('\n') })}
        />
        <fieldset class="checks field-wide">
          <legend>{t.accounts.channels}</legend>
          {CHANNELS.map(channel => (
            <CheckField
              key={channel}
              label={t.channels[channel]}
              isOn={allowed.includes(channel)}
              onChange={isOn => {
                const next = CHANNELS.filter(other => (other === channel ? isOn : allowed.includes(other)));
                set({ channels: next.length === CHANNELS.length ? null : next });
              }}
            />
          ))}
        </fieldset>
        <div class="checks field-wide">
          <CheckField label={t.accounts.pull} isOn={settings.pull} onChange={pull => set({ pull })} />
          <CheckField
            label={t.accounts.lateReports}
            isOn={settings.lateReports}
            onChange={lateReports => set({ lateReports })}
          />
          <CheckField
            label={t.accounts.enforceRegistry}
            isOn={settings.enforceRegistry}
            onChange={enforceRegistry => set({ enforceRegistry })}
          />
        </div>
      </div>
      <div class="form-end">
        <button type="submit" class="button button-main" disabled={saving.isRunning}>
          {t.common.save}
        </button>
        <span role="status" class="muted">
          {isSaved && t.common.saved}
        </span>
      </div>
      <RefusalNotice refusal={saving.refusal} />
    </form>
  );
}
