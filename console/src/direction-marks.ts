/**
 * Marks that turn the direction of a text, in what others wrote, are shown as `<U+202E>`: an operator approves what a recipient
 * would read. They are shown wherever a text is an element's, so no page can forget them; fields for editing keep them.
 */
import { type ComponentChildren, options, type VNode } from 'preact';
import { visible } from './visible.ts';

export function showDirectionMarks(): void {
  const { vnode: before } = options;
  options.vnode = (node: VNode) => {
    if (typeof node.type === 'string') node.props.children = shown(node.props.children);
    before?.(node);
  };
}

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return visible(children);
  return Array.isArray(children) ? children.map(shown) : children;
}
