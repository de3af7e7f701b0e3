/** Nothing to show: what that means, and what to do next. */
import type { ComponentChildren } from 'preact';

export function EmptyState(props: { title: string; hint?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="empty-beacon" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <path d="M16 2c1 5 7 7 7 13a7 7 0 0 1-14 0c0-3 2-4 3-7 1 2 2 3 3 3 1-3 0-6 1-9z" />
        <path d="M10 23h12l3 7H7z" />
      </svg>
      <h2>{props.title}</h2>
      {props.hint && <p>{props.hint}</p>}
      {props.children}
    </div>
  );
}
