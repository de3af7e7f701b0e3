/** The heading of a page. It also sets the document title, and has it read when the page changes. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** The live region of the shell that tells which page is shown. */
export const ANNOUNCER = 'announcer';

export function PageHead(props: { title: string; intro?: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${props.title} · Bongsu`;
    const announcer = document.getElementById(ANNOUNCER);
    if (announcer) announcer.textContent = props.title;
  }, [props.title]);
  return (
    <header class="page-head">
      <div>
        <h1>{props.title}</h1>
        {props.intro && <p>{props.intro}</p>}
      </div>
      {props.children && <div class="page-actions">{props.children}</div>}
    </header>
  );
}
