/** Files: the images that messages refer to. */
import { useState } from 'preact/hooks';
import { useList } from '../answers/use-list.ts';
import { AccountPicker, OfAccount, useAccountInAddress } from '../components/account-picker.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { LoadedList } from '../components/list.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { ImagePicker } from '../compose/image-picker.tsx';
import { contentUrl, deleteFile, type ImagePurpose, listFiles, type StoredFile } from '../gateway/files.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

/** What images can be uploaded for; the kind decides which sizes are taken. */
const PURPOSES: readonly ImagePurpose[] = [
  { service: 'MMS' },
  { service: 'RCS' },
  ...['FI', 'FW', 'FL', 'FC', 'FA'].map((kind): ImagePurpose => ({ service: 'FRIENDTALK', kind })),
  ...['default', 'wide', 'wideItemList', 'carouselFeed', 'carouselCommerce'].map(
    (kind): ImagePurpose => ({ service: 'BRANDMESSAGE', kind }),
  ),
];

export function FilesPage() {
  const t = useWords();
  const choice = useAccountInAddress();
  const { account } = choice;
  const [purpose, setPurpose] = useState(0);
  const deleting = useAction();
  const files = useList(account ? listFiles(account) : undefined);
  const chosen = PURPOSES[purpose] ?? { service: 'MMS' };
  return (
    <>
      <PageHead title={t.files.title} intro={t.files.intro}>
        <AccountPicker choice={choice} />
      </PageHead>
      <OfAccount choice={choice}>
        {owner => (
          <>
            <section class="card upload" aria-label={t.files.upload}>
              <SelectField
                label={t.files.purpose}
                value={String(purpose)}
                options={PURPOSES.map((each, index) => ({ value: String(index), label: nameOf(each) }))}
                onChange={value => setPurpose(Number(value))}
              />
              <ImagePicker key={purpose} account={owner} purpose={chosen} label={t.files.upload} />
            </section>
            <RefusalNotice refusal={deleting.refusal} />
            <LoadedList of={files} empty={<EmptyState title={t.files.empty} hint={t.files.emptyHint} />}>
              {rows => (
                <ul class="gallery">
                  {rows.map(file => (
                    <FileCard
                      key={file.fileKey}
                      file={file}
                      onDelete={() => deleting.run(() => deleteFile(file.fileKey))}
                    />
                  ))}
                </ul>
              )}
            </LoadedList>
          </>
        )}
      </OfAccount>
    </>
  );
}

function FileCard({ file, onDelete }: { file: StoredFile; onDelete: () => void }) {
  const t = useWords();
  return (
    <li class="card file">
      <img src={contentUrl(file.fileKey)} alt={file.name} loading="lazy" />
      <h2>{file.name}</h2>
      <p class="muted">
        {file.service} {file.kind} · {file.width}×{file.height} · {Math.ceil(file.bytes / 1024)} KB
      </p>
      <p class="muted">
        {t.files.expires} <Time at={file.expiresAt} />
      </p>
      <div class="file-actions">
        <CopyButton text={file.fileKey} label={t.files.copyKey} />
        <Needs least="operator">
          <ConfirmButton label={t.common.remove} question={t.deleting.confirmFile} onConfirm={onDelete} />
        </Needs>
      </div>
    </li>
  );
}

function nameOf({ service, kind }: ImagePurpose): string {
  return kind === undefined ? service : `${service} · ${kind}`;
}
