/** Does something again and again while a page is shown, such as loading what it shows. */
import { useEffect } from 'preact/hooks';

export function useRepeated(action: () => void, everyMs: number, isOn = true): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(action, everyMs);
    return () => clearInterval(timer);
  }, [action, everyMs, isOn]);
}
