/** Picks an image: one uploaded earlier, or a new file that is dropped or chosen. */
import { useId, useState } from 'preact/hooks';
import { useList } from '../answers/use-list.ts';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import {
  type ImagePurpose,
  listFiles,
  type StoredFile,
  type Uploaded,
  uploadFile,
} from '../gateway/files.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

export interface Picked {
  readonly fileKey: string;
  readonly media: string;
  readonly imgUrl: string;
}

export function ImagePicker(props: {
  account: string;
  purpose: ImagePurpose;
  label: string;
  /** Where all images are on the page anyway, there is nothing to pick: new ones are uploaded only. */
  onPick?: (image: Picked) => void;
}) {
  const { account, purpose, onPick } = props;
  const t = useWords();
  const id = useId();
  const upload = useAction();
  const [isOver, setOver] = useState(false);
  const { rows = [] } = useList(onPick && listFiles(account));
  const usable = rows.filter(file => isFor(file, purpose));

  const take = (file: File | undefined) => {
    if (!file) return;
    upload.run(async () => {
      const uploaded = await uploadFile(account, purpose, file);
      onPick?.(pickedUpload(uploaded));
    });
  };

  return (
    <div class="image-picker">
      {/* The input inside is what keyboards and screen readers use. */}
      <label
        for={id}
        class={isOver ? 'drop drop-over' : 'drop'}
        onDragOver={event => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={event => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <span>{upload.isRunning ? t.compose.uploading : t.compose.dropImage}</span>
        <input
          id={id}
          type="file"
          class="sr-only"
          aria-label={`${props.label}: ${t.compose.dropImage}`}
          accept="image/jpeg,image/png,image/gif,image/bmp"
          onChange={event => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {usable.length > 0 && (
        <select
          class="input select"
          aria-label={`${props.label}: ${t.compose.pickImage}`}
          value=""
          onChange={event => {
            const file = usable.find(({ fileKey }) => fileKey === event.currentTarget.value);
            if (file) onPick?.(pickedFile(file));
          }}
        >
          <option value="">{t.compose.pickImage}</option>
          {usable.map(file => (
            <option key={file.fileKey} value={file.fileKey}>
              {file.name} · {file.width}×{file.height}
            </option>
          ))}
        </select>
      )}
      <RefusalNotice refusal={upload.refusal} />
    </div>
  );
}

/** Images of messenger types have sizes of their own; for other services only the service matters. */
function isFor(file: StoredFile, { service, kind }: ImagePurpose): boolean {
  return file.service === service && (kind === undefined || file.kind === kind);
}

function pickedFile({ fileKey, url }: StoredFile): Picked {
  return { fileKey, media: `maapfile://${fileKey}`, imgUrl: new URL(url, location.origin).href };
}

function pickedUpload({ fileKey, media, imgUrl }: Uploaded): Picked {
  return {
    fileKey,
    media: media ?? `maapfile://${fileKey}`,
    imgUrl: imgUrl ?? `${location.origin}/files/${fileKey}`,
  };
}
