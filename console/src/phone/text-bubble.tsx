/** SMS, LMS, MMS and international SMS: images first, then title and text, as handsets show them. */
import type { TextStep } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import { PhoneImage } from './phone-image.tsx';

export function TextBubble({ step }: { step: TextStep }) {
  const t = useWords();
  const images = step.fileKey ?? [];
  const isEmpty = !step.text && !step.title && images.length === 0;
  return (
    <div class="text-message">
      {images.map((key, index) => (
        <PhoneImage key={index} reference={key} />
      ))}
      {isEmpty ? (
        <p class="bubble bubble-empty">{t.phone.empty}</p>
      ) : (
        (step.title || step.text) && (
          <div class="bubble">
            {step.title && <p class="bubble-title">{step.title}</p>}
            {step.text && <p class="bubble-text">{step.text}</p>}
          </div>
        )
      )}
    </div>
  );
}
