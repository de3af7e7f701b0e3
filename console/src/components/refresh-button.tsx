/** Asks everything that the page shows once more. */
import { useAnswers } from '../answers/use-answer.tsx';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

export function RefreshButton({ onPress }: { onPress?: () => void }) {
  const t = useWords();
  const answers = useAnswers();
  const press = () => {
    onPress?.();
    answers?.reloadAll();
  };
  return (
    <Button icon="refresh" onPress={press}>
      {t.common.refresh}
    </Button>
  );
}
