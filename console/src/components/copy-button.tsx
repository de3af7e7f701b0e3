import { useEffect, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { copyText } from './copy-text.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1500;

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useWords();
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = () => copyText(text).then(setCopied);
  return (
    <button type="button" class="button button-quiet button-small" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span aria-live="polite">{isCopied ? t.common.copied : (label ?? t.common.copy)}</span>
    </button>
  );
}
