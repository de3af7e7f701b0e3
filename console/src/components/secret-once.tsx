/** A secret that the gateway reveals only once: shown, and in focus, until the user leaves the page. */
import { useEffect, useRef } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { CopyButton } from './copy-button.tsx';

export function SecretOnce({ title, secret }: { title: string; secret: string }) {
  const t = useWords();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), [secret]);
  return (
    <div class="notice notice-secret" role="status" ref={place} tabIndex={-1}>
      <p>
        <strong>{title}</strong>
      </p>
      <p class="secret">
        <code>{secret}</code> <CopyButton text={secret} />
      </p>
      <p class="muted">{t.common.shownOnce}</p>
    </div>
  );
}
