/** Why a request failed: the message of the gateway and its code. */
import type { Refusal } from '../gateway/call.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

export function RefusalNotice({ refusal, onRetry }: { refusal: Refusal | undefined; onRetry?: () => void }) {
  const t = useWords();
  if (!refusal) return null;
  const isUnreachable = refusal.code === undefined && refusal.status === 0;
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>{t.common.failed}.</strong> {isUnreachable ? t.common.unreachable : refusal.message}{' '}
        {refusal.code && <code>{refusal.code}</code>}
      </p>
      {onRetry && (
        <Button kind="quiet" onPress={onRetry}>
          {t.common.tryAgain}
        </Button>
      )}
    </div>
  );
}
