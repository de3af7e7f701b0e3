import { useEffect, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 1500;

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useWords();
  return <Copy text={text} label={label ?? t.common.copy} done={t.common.copied} />;
}

/** With the words of whoever uses it: the API reference has its own. */
export function Copy({ text, label, done }: { text: string; label: string; done: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      kind="quiet"
      isSmall
      icon={isCopied ? 'check' : 'copy'}
      onPress={() => copyText(text).then(setCopied)}
    >
      <span aria-live="polite">{isCopied ? done : label}</span>
    </Button>
  );
}
