/**
 * Where the client wrote the buttons and the image of a messenger message: beside the text or in `attachment`. Steps have
 * both in `attachment`; see request/field-names.ts.
 */
import { isNotGiven, isObject, memberOf } from '../request/fields.ts';

/** The field beside the text, and its place in a step. */
const BESIDE: Readonly<Record<string, string>> = {
  button: 'attachment.button',
  imgUrl: 'attachment.image.imgUrl',
};

export const messengerStyle = {
  /** The fields that stand beside the text. */
  styleOf(message: unknown): string | undefined {
    if (!isObject(message)) return undefined;
    const attachment = memberOf(message, 'attachment');
    const isAttached = (place: string) =>
      isObject(attachment) && !isNotGiven(memberOf(attachment, place.split('.')[1] ?? ''));
    const beside = Object.entries(BESIDE)
      .filter(([name, place]) => !isNotGiven(memberOf(message, name)) && !isAttached(place))
      .map(([name]) => name);
    return beside.length === 0 ? undefined : beside.join(' ');
  },
  nameIn(style: string, field: string): string {
    for (const name of style.split(' ')) {
      const place = BESIDE[name];
      if (place !== undefined && (field === place || field.startsWith(`${place}[`))) {
        return name + field.slice(place.length);
      }
    }
    return field;
  },
};
