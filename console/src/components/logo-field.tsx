/** A logo: any image that the browser can read, made small enough to be kept with what it belongs to. */
import { useId, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';

const SIDE = 128;
/** The gateway takes no longer one. */
const LONGEST = 40_000;

export function LogoField(props: { label: string; value: string; onInput: (dataUrl: string) => void }) {
  const t = useWords();
  const id = useId();
  const [isBad, setBad] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      props.onInput(await logoOf(file));
      setBad(false);
    } catch {
      setBad(true);
    }
  };
  return (
    <div class={isBad ? 'field field-bad' : 'field'}>
      <div class="field-head">
        <label for={id}>{props.label}</label>
      </div>
      <div class="logo-field">
        {props.value && <img class="logo" src={props.value} alt={t.composing.logo} />}
        <input
          id={id}
          type="file"
          class="input"
          accept="image/*"
          aria-invalid={isBad}
          aria-describedby={isBad ? `${id}-problem` : undefined}
          onChange={event => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </div>
      {isBad && (
        <p class="field-problem" id={`${id}-problem`}>
          {t.composing.logoBroken}
        </p>
      )}
    </div>
  );
}

/** The middle of the image as a square; a photograph that is too long as PNG becomes a JPEG. */
async function logoOf(file: File): Promise<string> {
  const image = await createImageBitmap(file);
  const side = Math.min(image.width, image.height);
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  const context = canvas.getContext('2d');
  if (!context || side === 0) throw new Error('no image');
  const left = (image.width - side) / 2;
  const top = (image.height - side) / 2;
  context.drawImage(image, left, top, side, side, 0, 0, SIDE, SIDE);
  const png = canvas.toDataURL('image/png');
  if (png.length <= LONGEST) return png;
  // JPEG has no transparency: what is transparent would turn black.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, SIDE, SIDE);
  return canvas.toDataURL('image/jpeg', 0.85);
}
