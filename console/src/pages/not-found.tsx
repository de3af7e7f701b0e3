import { EmptyState } from '../components/empty-state.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Link } from '../router.tsx';
import { useWords } from '../words/words.tsx';

export function NotFoundPage() {
  const t = useWords();
  return (
    <>
      <PageHead title={t.common.notFound} />
      <EmptyState title={t.common.notFound} hint={t.common.notFoundHint}>
        <Link to="/" class="button">
          {t.common.toToday}
        </Link>
      </EmptyState>
    </>
  );
}
