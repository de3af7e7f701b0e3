/** Below the composer: the button that sends, and what the gateway says to the message as it is written. */
import { Button } from '../components/button.tsx';
import { Needs } from '../components/needs.tsx';
import { useWords } from '../words/words.tsx';
import type { FieldFeedback } from './field-feedback.ts';

export function SendBar(props: {
  feedback: FieldFeedback;
  isChecking: boolean;
  /** Nobody could check it; why is told elsewhere. */
  isUnchecked: boolean;
  isSending: boolean;
  isReady: boolean;
  /** It is reserved for later. */
  isLater?: boolean;
  onSend: () => void;
  /** Adds the words that have no value; absent where a message cannot have words. */
  onFill?: () => void;
}) {
  const { feedback } = props;
  const { unfilled } = feedback;
  const t = useWords();
  const isUnfilled = feedback.isOk && unfilled.length > 0;
  // In a flow, a word without a value is a problem.
  const isWordMissing = isUnfilled || (unfilled.length > 0 && feedback.general?.includes('"replaceWords"'));
  const state = isUnfilled
    ? t.composing.unfilled(unfilled.map(key => `#{${key}}`))
    : feedback.isOk && !props.isChecking
      ? t.compose.ok
      : props.isUnchecked
        ? ''
        : t.compose.checking;
  return (
    <div class="send-bar">
      <Needs least="operator">
        <Button
          kind="main"
          isDisabled={props.isSending || !props.isReady}
          keys="Control+Enter Meta+Enter"
          onPress={props.onSend}
        >
          {props.isSending ? t.compose.sending : props.isLater ? t.reservations.reserve : t.compose.send}
        </Button>
        <span class="send-keys" aria-hidden="true">
          {t.composing.sendKeys}
        </span>
      </Needs>
      <p class={`send-state ${toneOf(feedback.general, isUnfilled)}`} role="status">
        {feedback.general ?? state}
      </p>
      {isWordMissing && props.onFill && (
        <Button isSmall onPress={props.onFill}>
          {t.composing.fillIn}
        </Button>
      )}
    </div>
  );
}

function toneOf(problem: string | undefined, isUnfilled: boolean): string {
  if (problem !== undefined) return 'send-state-bad';
  return isUnfilled ? 'send-state-doubt' : '';
}
