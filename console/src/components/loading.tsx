import { useWords } from '../words/words.tsx';

export function Loading() {
  const t = useWords();
  return (
    <p class="loading" role="status">
      {t.common.loading}
    </p>
  );
}
