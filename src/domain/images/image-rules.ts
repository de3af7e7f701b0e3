/**
 * Which image each service takes: the specification's table of image requirements, the words of the upload path that
 * choose a row of it, and every refusal of an upload in the client's terms.
 *
 * Our choice: brandmessage images follow the friendtalk rows of the same shape, and RCS images of any size are taken,
 * because the layout that needs a size is known only when they are sent.
 */

import { isStorable } from '../request/field-kinds.ts';
import { Problem } from '../request/problem.ts';
import { countSaid, fitsCharacters } from '../text/characters.ts';
import { type ImageFormat, type ImageHeader, isForeignFormat, type OwnHeader } from './image-header.ts';

export type ImageService = 'MMS' | 'RCS' | 'FRIENDTALK' | 'BRANDMESSAGE';

interface SizeRule {
  readonly says: string;
  readonly holds: (width: number, height: number) => boolean;
}

export interface ImageRule {
  readonly service: ImageService;
  /** The msgType as clients write it; the first row of a service serves when none is given. */
  readonly kind: string;
  readonly formats: readonly ImageFormat[];
  readonly maxBytes: number;
  readonly size: readonly SizeRule[];
}

const KB = 1024;
const MB = 1024 * KB;

const UP_TO_1500: SizeRule = { says: 'width must be at most 1500', holds: width => width <= 1500 };
const UP_TO_1440_HIGH: SizeRule = {
  says: 'height must be at most 1440',
  holds: (_width, height) => height <= 1440,
};
const FROM_500: SizeRule = { says: 'width must be at least 500', holds: width => width >= 500 };
const USUAL_RATIO: SizeRule = {
  says: 'width:height must be between 2:1 and 3:4',
  holds: (width, height) => width <= 2 * height && 4 * width >= 3 * height,
};
const IS_800_600: SizeRule = {
  says: 'it must be 800x600',
  holds: (width, height) => width === 800 && height === 600,
};
const IS_400_HIGH: SizeRule = { says: 'height must be 400', holds: (_width, height) => height === 400 };
const FROM_400_TO_800: SizeRule = {
  says: 'width must be between 400 and 800',
  holds: width => width >= 400 && width <= 800,
};

const JPG: readonly ImageFormat[] = ['jpg'];
const JPG_PNG: readonly ImageFormat[] = ['jpg', 'png'];
const PHOTO = [FROM_500, USUAL_RATIO];
const LIST = [IS_400_HIGH, FROM_400_TO_800];

// biome-ignore format: one row for each kind reads as the table it is
export const IMAGE_RULES: readonly ImageRule[] = [
  { service: 'MMS', kind: 'default', formats: JPG, maxBytes: 300 * KB, size: [UP_TO_1500, UP_TO_1440_HIGH] },
  { service: 'RCS', kind: 'default', formats: ['jpg', 'bmp', 'png', 'gif'], maxBytes: MB, size: [] },
  { service: 'FRIENDTALK', kind: 'FI', formats: JPG_PNG, maxBytes: 500 * KB, size: PHOTO },
  { service: 'FRIENDTALK', kind: 'FW', formats: JPG_PNG, maxBytes: 2 * MB, size: [IS_800_600] },
  { service: 'FRIENDTALK', kind: 'FL', formats: JPG_PNG, maxBytes: 2 * MB, size: LIST },
  { service: 'FRIENDTALK', kind: 'FC', formats: JPG_PNG, maxBytes: 2 * MB, size: PHOTO },
  { service: 'FRIENDTALK', kind: 'FA', formats: JPG_PNG, maxBytes: 2 * MB, size: PHOTO },
  // The specification names no rule for these; one public client offers them, and FM and FP show a plain image.
  ...['FT', 'FM', 'FP'].map(
    (kind): ImageRule => ({ service: 'FRIENDTALK', kind, formats: JPG_PNG, maxBytes: 500 * KB, size: PHOTO }),
  ),
  { service: 'BRANDMESSAGE', kind: 'default', formats: JPG_PNG, maxBytes: 500 * KB, size: PHOTO },
  { service: 'BRANDMESSAGE', kind: 'wide', formats: JPG_PNG, maxBytes: 2 * MB, size: [IS_800_600] },
  { service: 'BRANDMESSAGE', kind: 'wideItemList', formats: JPG_PNG, maxBytes: 2 * MB, size: LIST },
  { service: 'BRANDMESSAGE', kind: 'carouselFeed', formats: JPG_PNG, maxBytes: 2 * MB, size: PHOTO },
  { service: 'BRANDMESSAGE', kind: 'carouselCommerce', formats: JPG_PNG, maxBytes: 2 * MB, size: PHOTO },
];

/** The rule of an upload; every kind that a channel asks for is in the table. */
export function imageRule(service: ImageService, kind: string = 'default'): ImageRule {
  const rule = IMAGE_RULES.find(each => each.service === service && each.kind === kind);
  if (!rule) throw new Error(`there is no rule for images of ${service}, ${kind}`);
  return rule;
}

const SERVICES = [...new Set(IMAGE_RULES.map(({ service }) => service))];
const NAME_MAX = 40;
const WORD_MAX = 40;
/** A misspelling that two public clients send. */
const MISSPELT_DEFAULT = 'defalut';

/** The rule that an upload path chooses. Blanks around a word and its letter case do not matter. */
export function parseImagePath(service: string, msgType = '', subType = ''): ImageRule | Problem {
  const rules = IMAGE_RULES.filter(rule => isSameWord(rule.service, service));
  const [plain] = rules;
  if (!plain) {
    return new Problem('A219', `serviceType must be one of ${SERVICES.join(', ')} (was "${cut(service)}")`);
  }
  // Nothing depends on the third word; clients write first, middle, end, done.
  if (subType.trim().length > WORD_MAX) {
    return new Problem('A220', `subType is longer than ${WORD_MAX} characters`);
  }
  const word = msgType.trim().toLowerCase();
  if (word === '') return plain;
  const rule = rules.find(({ kind }) => isSameWord(kind, word === MISSPELT_DEFAULT ? 'default' : word));
  if (rule) return rule;
  const kinds = rules.map(({ kind }) => kind).join(', ');
  return new Problem('A220', `msgType of ${plain.service} must be one of ${kinds} (was "${cut(msgType)}")`);
}

/** The name an image is kept under: the last component of whatever path a client put there. */
export function parseImageName(given: string | undefined): string | Problem {
  const name = given?.split(/[/\\]/).at(-1)?.trim() ?? '';
  if (name === '') return new Problem('A208', 'the part "file" has no file name');
  if (!isStorable(name)) return new Problem('A208', 'the file name holds a NUL or an unpaired surrogate');
  if (fitsCharacters(name, NAME_MAX)) return name;
  return new Problem(
    'A201',
    `file name is longer than ${NAME_MAX} characters (was ${countSaid(NAME_MAX, name)})`,
  );
}

/** An upload is abandoned as soon as it is too big; how big it is, its multipart body does not say. */
export function tooBig({ maxBytes, service }: ImageRule): Problem {
  return new Problem('A200', `file is larger than ${maxBytes} bytes, the limit of ${service}`);
}

/** Why the image breaks this rule; undefined when it does not. The file's name and declared type do not matter. */
export function imageProblem(
  rule: ImageRule,
  header: ImageHeader | undefined,
  isWhole = true,
): Problem | undefined {
  if (!header) return new Problem('A202', 'the file is not an image that can be read');
  const { format } = header;
  if (isForeignFormat(header) || !rule.formats.includes(header.format)) {
    return new Problem('A206', `${rule.service} takes ${rule.formats.join(', ')} (was ${format})`);
  }
  if (!isWhole) return new Problem('A202', 'the file is cut off: the end of the image is missing');
  const { width, height } = header;
  const broken = rule.size.find(({ holds }) => !holds(width, height));
  return broken && new Problem('A203', `image is ${width}x${height}, ${broken.says}`);
}

/** Why an upload cannot stand where this rule holds, by the name of its place. */
export function uploadProblem(
  rule: ImageRule,
  field: string,
  file: OwnHeader & { readonly service: ImageService; readonly bytes: number },
): Problem | undefined {
  const { service, formats, maxBytes } = rule;
  const { width, height } = file;
  if (file.service !== service) {
    return new Problem('A217', `"${field}" must be a file uploaded for ${service} (was ${file.service})`);
  }
  if (!formats.includes(file.format)) {
    return new Problem('A206', `"${field}" must be one of ${formats.join(', ')} (was ${file.format})`);
  }
  if (file.bytes > maxBytes) {
    return new Problem('A200', `"${field}" is larger than ${maxBytes} bytes (was ${file.bytes})`);
  }
  const broken = rule.size.find(({ holds }) => !holds(width, height));
  return broken && new Problem('A203', `"${field}" is ${width}x${height}, ${broken.says}`);
}

function isSameWord(word: string, given: string): boolean {
  return word.toLowerCase() === given.trim().toLowerCase();
}

/** What a client sent, short enough to repeat in an answer. */
function cut(given: string): string {
  return given.trim().slice(0, WORD_MAX);
}
