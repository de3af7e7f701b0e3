/** What needs attention now, above every page; the start page shows the same with what to do. */
import { useAnswer } from '../answers/use-answer.tsx';
import { keyed, readPressing, wrongIn } from '../gateway/health.ts';
import { Link, useRouter } from '../router.tsx';
import { useWords } from '../words/words.tsx';
import { FindingRow } from './finding-row.tsx';

export const LOOK_AGAIN_MS = 5000;
const MOST_SHOWN = 3;

export function Attention() {
  const t = useWords();
  const { path } = useRouter();
  const { answer, refusal } = useAnswer(readPressing(), LOOK_AGAIN_MS);
  const wrong = wrongIn(answer ?? []);
  const isToday = path === '/';
  const isShown = !isToday && (refusal !== undefined || wrong.length > 0);
  return (
    <>
      {isShown && (
        <section class="attention" aria-label={t.health.attention}>
          {refusal ? (
            <p>
              <strong>{t.health.unknown}</strong> {refusal.message}
            </p>
          ) : (
            <>
              <ul>
                {keyed(wrong.slice(0, MOST_SHOWN)).map(([key, finding]) => (
                  <FindingRow key={key} finding={finding} />
                ))}
              </ul>
              {wrong.length > 1 && (
                <Link
                  to="/"
                  class={wrong.length > MOST_SHOWN ? 'attention-all' : 'attention-all attention-few'}
                >
                  {t.health.all(wrong.length)}
                </Link>
              )}
            </>
          )}
        </section>
      )}
      <p class="sr-only" aria-live="polite">
        {refusal ? t.health.unknown : wrong.length > 0 ? t.health.count(wrong.length) : ''}
      </p>
    </>
  );
}
