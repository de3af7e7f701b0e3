/** Alimtalk: the yellow band at the head, then header, emphasised title, highlight, items, text and buttons. */
import type { AlimtalkStep } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import { MessengerButtons } from './messenger-buttons.tsx';
import { PhoneImage } from './phone-image.tsx';

export function AlimtalkBubble({ step }: { step: AlimtalkStep }) {
  const t = useWords();
  const { attachment = {}, supplement } = step;
  const replies = supplement?.quickReply ?? [];
  return (
    <>
      <article class="talk talk-notice">
        <p class="talk-band">{t.phone.alimtalkHead}</p>
        {step.msgType === 'AI' && <PhoneImage reference={undefined} ratio="2 / 1" />}
        {step.header && <p class="talk-header">{step.header}</p>}
        {attachment.itemHighlight && (
          <div class="talk-highlight">
            <p class="talk-highlight-title">{attachment.itemHighlight.title}</p>
            <p class="talk-highlight-text">{attachment.itemHighlight.description}</p>
          </div>
        )}
        {step.title && <p class="talk-emphasis">{step.title}</p>}
        {attachment.item && <ItemList item={attachment.item} />}
        <p class="talk-text">{step.text || <span class="muted">{t.phone.empty}</span>}</p>
        <MessengerButtons buttons={attachment.button} />
      </article>
      {replies.length > 0 && (
        <ul class="talk-replies" aria-label={t.phone.quickReplies}>
          {replies.map((reply, index) => (
            <li key={index}>{reply.name}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function ItemList({ item }: { item: NonNullable<NonNullable<AlimtalkStep['attachment']>['item']> }) {
  return (
    <dl class="talk-items">
      {(item.list ?? []).map((row, index) => (
        <div key={index}>
          <dt>{row.title}</dt>
          <dd>{row.description}</dd>
        </div>
      ))}
      {item.summary && (
        <div class="talk-summary">
          <dt>{item.summary.title}</dt>
          <dd>{item.summary.description}</dd>
        </div>
      )}
    </dl>
  );
}
