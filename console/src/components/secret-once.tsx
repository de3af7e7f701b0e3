/** A secret that the gateway reveals only once: shown until the user leaves the page. */
import { useWords } from '../words/words.tsx';
import { CopyButton } from './copy-button.tsx';

export function SecretOnce({ title, secret }: { title: string; secret: string }) {
  const t = useWords();
  return (
    <div class="notice notice-secret" role="status">
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
