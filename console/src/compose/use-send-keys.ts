/** Ctrl+Enter, or Cmd+Enter, sends from anywhere on the page. */
import { useEffect } from 'preact/hooks';

export function useSendKeys(send: (() => void) | undefined): void {
  useEffect(() => {
    if (!send) return;
    const press = (event: KeyboardEvent) => {
      const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      // While an input method composes a syllable, the key is its own. A dialog has a send of its own.
      if (!isSend || event.repeat || event.isComposing || event.defaultPrevented) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      send();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [send]);
}
