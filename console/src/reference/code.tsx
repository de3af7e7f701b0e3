/** Code to read and copy. */
import { CodeFigure } from '../components/code-block.tsx';
import { Copy } from '../components/copy-button.tsx';
import { useReferenceWords } from './words.ts';

export function Code({ title, code }: { title: string; code: string }) {
  const t = useReferenceWords();
  return (
    <CodeFigure title={title} code={code}>
      <Copy text={code} label={t.copy} done={t.copied} />
    </CodeFigure>
  );
}
