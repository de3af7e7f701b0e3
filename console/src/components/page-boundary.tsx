/** A page that fails while it is drawn does not take the others with it: it says so, and the navigation stays. */
import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { PageHead } from './page-head.tsx';

export function PageBoundary({ children }: { children: ComponentChildren }) {
  const t = useWords();
  const [error, tryAgain] = useErrorBoundary(failure => reportError(failure));
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <PageHead title={t.common.pageFailed} />
      <EmptyState title={t.common.pageFailed} hint={t.common.pageFailedHint}>
        <p>
          <code>{error instanceof Error ? error.message : String(error)}</code>
        </p>
        <Button kind="main" onPress={tryAgain}>
          {t.common.tryAgain}
        </Button>
      </EmptyState>
    </>
  );
}
