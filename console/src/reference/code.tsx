/** Code to read and copy. */
import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../components/copy-text.ts';
import { Icon } from '../components/icon.tsx';
import { useReferenceWords } from './words.ts';

const SHOWN_MS = 1500;

export function Code({ title, code }: { title: string; code: string }) {
  const t = useReferenceWords();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <figure class="code-block">
      <figcaption>
        <span>{title}</span>
        <button
          type="button"
          class="button button-quiet button-small"
          onClick={() => copyText(code).then(setCopied)}
        >
          <Icon name={isCopied ? 'check' : 'copy'} />
          <span aria-live="polite">{isCopied ? t.copied : t.copy}</span>
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
