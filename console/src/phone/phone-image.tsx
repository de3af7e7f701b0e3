/**
 * An image of a message. Only images that this gateway keeps are loaded; an external one is only named, because loading it
 * would reveal to its host who looks at the message.
 */
import { useEffect, useState } from 'preact/hooks';
import { contentUrl } from '../gateway/files.ts';
import { fileKeyOf } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';

/** `ratio` is width by height, where the layout gives the image a fixed frame. */
export function PhoneImage({
  reference,
  ratio,
}: {
  reference: string | undefined;
  ratio?: string | undefined;
}) {
  const t = useWords();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => setBroken(false), [reference]);

  const fileKey = reference ? fileKeyOf(reference) : undefined;
  const frame = ratio ? { aspectRatio: ratio } : undefined;
  if (fileKey !== undefined && !isBroken) {
    return (
      <img
        class="phone-image"
        src={contentUrl(fileKey)}
        alt={t.phone.image}
        style={frame}
        onError={() => setBroken(true)}
      />
    );
  }
  return (
    <div class="phone-image phone-image-none" style={{ aspectRatio: ratio ?? '2 / 1' }}>
      <span>{reference ? t.phone.imageElsewhere : t.phone.imageMissing}</span>
      {reference && <code>{reference}</code>}
    </div>
  );
}
