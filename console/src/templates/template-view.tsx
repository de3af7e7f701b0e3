/** One template: a new one, or one of the library with its approval. */

import { useEffect, useState } from 'preact/hooks';
import { TEMPLATE_KINDS, type TemplateKind } from '../../../src/domain/registry/template.ts';
import type { TemplateView as Template, TemplateDetail } from '../../../src/operations/templates.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link, useRouter } from '../router.tsx';
import { useWords } from '../words/words.tsx';
import { listAddress, newTemplateAddress, templateAddress } from './address.ts';
import { TemplateApproval } from './template-approval.tsx';
import { type TemplateDraft, TemplateEditor } from './template-editor.tsx';
import { channelOf, entryOf, fieldsOf, keyOf, kindNames } from './template-entry.ts';

const BLANK: Readonly<Record<TemplateKind, TemplateDraft['entry']>> = {
  alimtalkTemplate: { msgType: 'AT' },
  brandmessageTemplate: { msgType: 'FT' },
  rcsTemplate: { templateKind: 'free' },
};

export function NewTemplate(props: { account: string; kind: TemplateKind; like: string | undefined }) {
  const { account, kind, like } = props;
  const { answer, refusal, reload } = useAnswer(
    like === undefined
      ? undefined
      : ask('GET /accounts/{id}/templates/{kind}/{key}', { id: account, kind, key: like }),
  );
  if (refusal) return <RefusalNotice refusal={refusal} onRetry={reload} />;
  if (like !== undefined && !answer) return <Loading />;
  return <NewTemplateForm account={account} draft={answer ? copyOf(answer.template) : blankOf(kind)} />;
}

function NewTemplateForm(props: { account: string; draft: TemplateDraft }) {
  const { account } = props;
  const t = useWords();
  const { go } = useRouter();
  const [draft, setDraft] = useState(props.draft);
  const saving = useAction();
  const save = () =>
    saving.run(async () => {
      const { kind, key } = await operate('PUT /accounts/{id}/templates/{kind}/{key}', {
        id: account,
        kind: draft.kind,
        key: keyOf(draft.kind, draft.entry),
        fields: bodyOf(draft),
      });
      go(templateAddress(account, kind, key));
    });
  return (
    <>
      <Crumb account={account} />
      <PageHead title={t.templates.add} intro={t.templates.newIntro}>
        <SelectField
          label={t.common.channel}
          value={draft.kind}
          options={optionsOf(kindNames(t))}
          class="picker"
          onChange={value => {
            const kind = TEMPLATE_KINDS.find(known => known === value);
            if (kind) setDraft({ ...blankOf(kind), name: draft.name });
          }}
        />
      </PageHead>
      <TemplateEditor
        account={account}
        draft={draft}
        isKeyFixed={false}
        isLocked={false}
        refusal={saving.refusal}
        onChange={change => setDraft(last => ({ ...last, ...change }))}
      >
        <SaveBar label={t.templates.saveDraft} isOff={saving.isRunning} onSave={save} />
        <RefusalNotice refusal={saving.refusal} />
      </TemplateEditor>
    </>
  );
}

export function TemplateView(props: { account: string; kind: TemplateKind; templateKey: string }) {
  const { account, kind, templateKey } = props;
  const record = useAnswer(
    ask('GET /accounts/{id}/templates/{kind}/{key}', { id: account, kind, key: templateKey }),
  );
  return (
    <>
      <Crumb account={account} />
      <Loaded of={record}>{stored => <StoredTemplate account={account} record={stored} />}</Loaded>
    </>
  );
}

function StoredTemplate({ account, record }: { account: string; record: TemplateDetail }) {
  const { template, isEditable } = record;
  const { kind, key, revision } = template;
  const t = useWords();
  const { go } = useRouter();
  const [draft, setDraft] = useState(() => draftOf(template));
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    setDraft(draftOf(template));
    setChanged(false);
  }, [revision]);
  const saving = useAction();
  const save = () =>
    saving.run(() =>
      operate('PUT /accounts/{id}/templates/{kind}/{key}', {
        id: account,
        kind,
        key,
        fields: { ...bodyOf(draft), revision },
      }),
    );
  return (
    <>
      <PageHead title={template.name ?? key} intro={`${t.channels[channelOf(kind)]} · ${key}`}>
        <Needs least="operator">
          <div class="card-actions">
            <Button icon="copy" onPress={() => go(newTemplateAddress(account, kind, key))}>
              {t.templates.copy}
            </Button>
            <ConfirmButton
              label={t.common.remove}
              question={t.templates.confirmRemove}
              onConfirm={() =>
                saving.run(async () => {
                  await operate('DELETE /accounts/{id}/registry/{kind}/{key}', { id: account, kind, key });
                  go(listAddress({ account }));
                })
              }
            />
          </div>
        </Needs>
      </PageHead>
      {!isEditable && <p class="notice">{t.templates.locked}</p>}
      <TemplateEditor
        account={account}
        draft={draft}
        isKeyFixed
        isLocked={!isEditable}
        refusal={saving.refusal}
        onChange={change => {
          setChanged(true);
          setDraft(last => ({ ...last, ...change }));
        }}
      >
        {isEditable && (
          <SaveBar label={t.templates.saveDraft} isOff={saving.isRunning || !isChanged} onSave={save} />
        )}
        <RefusalNotice refusal={saving.refusal} />
        <TemplateApproval account={account} record={record} isChanged={isChanged} />
      </TemplateEditor>
    </>
  );
}

function SaveBar(props: { label: string; isOff: boolean; onSave: () => void }) {
  return (
    <div class="template-save">
      <Needs least="operator">
        <Button kind="main" isDisabled={props.isOff} onPress={props.onSave}>
          {props.label}
        </Button>
      </Needs>
    </div>
  );
}

function Crumb({ account }: { account: string }) {
  const t = useWords();
  return (
    <p class="crumb">
      <Link to={listAddress({ account })}>
        <Icon name="left" /> {t.templates.title}
      </Link>
    </p>
  );
}

function blankOf(kind: TemplateKind): TemplateDraft {
  return { kind, name: '', entry: BLANK[kind] };
}

function draftOf(template: Template): TemplateDraft {
  return { kind: template.kind, name: template.name ?? '', entry: entryOf(template) };
}

/** Under a code of its own, which only the operator knows. */
function copyOf(template: Template): TemplateDraft {
  const { templateCode, formatId, ...entry } = entryOf(template);
  return { ...draftOf(template), entry };
}

function bodyOf({ kind, name, entry }: TemplateDraft): TemplateDraft['entry'] {
  return { ...fieldsOf(kind, entry), ...(name.trim() && { name: name.trim() }) };
}
