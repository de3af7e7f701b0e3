/** Code or JSON to read and copy. Always text, never markup. */
import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';

export function CodeBlock(props: {
  title: string;
  code: string;
  copyLabel?: string;
  children?: ComponentChildren;
}) {
  return (
    <CodeFigure title={props.title} code={props.code}>
      {props.children}
      <CopyButton text={props.code} {...(props.copyLabel && { label: props.copyLabel })} />
    </CodeFigure>
  );
}

/** With the buttons of whoever uses it. */
export function CodeFigure(props: { title: string; code: string; children: ComponentChildren }) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{props.title}</span>
        <span class="code-actions">{props.children}</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <pre tabIndex={0}>
        <code>{props.code}</code>
      </pre>
    </figure>
  );
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
