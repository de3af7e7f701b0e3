/**
 * Marks that turn the direction of a text, in what others wrote, are shown as `<U+202E>`: an operator approves what a recipient
 * would read. They are shown wherever a text is an element's, or in an attribute that is read to people, so no page can forget
 * them; fields for editing keep them.
 */
import { options, type VNode } from 'preact';
import { showMarksIn } from './visible.ts';

export function showDirectionMarks(): void {
  const { vnode: before } = options;
  options.vnode = (node: VNode) => {
    if (typeof node.type === 'string') showMarksIn(node.props);
    before?.(node);
  };
}
