/** The keys that open the finder: Ctrl+K (or ⌘K) anywhere, `/` where nothing is being typed. */
import { useEffect } from 'preact/hooks';

const TYPED_INTO = 'input, textarea, select, [contenteditable]';

export function useFindKeys(open: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // A dialog is to be answered first.
      if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return;
      const isCommand = event.ctrlKey || event.metaKey;
      const isTyping = event.target instanceof Element && event.target.matches(TYPED_INTO);
      const isMeant = isCommand ? event.key.toLowerCase() === 'k' : event.key === '/' && !isTyping;
      if (!isMeant) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [open]);
}
