/** The heading of a page. It also sets the document title and takes the focus when the page changes. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

export function PageHead(props: { title: string; intro?: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${props.title} · Bongsu`;
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
