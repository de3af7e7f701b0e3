/** Marks that turn the direction of a text, such as U+202E. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same as on a terminal: src/cli/output.ts; a test compares the two. */
export function visible(text: string): string {
  return text.replace(
    DIRECTION,
    mark => `<U+${mark.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}>`,
  );
}

/** Attributes that browsers and screen readers show. */
const READ_ATTRIBUTES = ['alt', 'aria-description', 'aria-label', 'label', 'placeholder', 'title'];

/** In the texts and attributes of an element. */
export function showMarksIn(props: Record<string, unknown>): void {
  props.children = shown(props.children);
  for (const name of READ_ATTRIBUTES) {
    const text = props[name];
    if (typeof text === 'string') props[name] = visible(text);
  }
}

function shown(children: unknown): unknown {
  if (typeof children === 'string') return visible(children);
  return Array.isArray(children) ? children.map(shown) : children;
}
