/** The little Markdown that descriptions of the API document use: paragraphs, lists, `code` and **strong**. */
import type { ComponentChildren } from 'preact';

export function Markup({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n\n+/).map((block, index) => {
        const lines = block.split('\n');
        const isList = lines.every(line => line.startsWith('- '));
        return isList ? (
          <ul class="marks" key={index}>
            {lines.map(line => (
              <li key={line}>{inline(line.slice(2))}</li>
            ))}
          </ul>
        ) : (
          <p key={index}>{inline(block)}</p>
        );
      })}
    </>
  );
}

function inline(text: string): ComponentChildren {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    if (index % 2 === 0) return part;
    return part.startsWith('`') ? <code>{part.slice(1, -1)}</code> : <strong>{part.slice(2, -2)}</strong>;
  });
}
