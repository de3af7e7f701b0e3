/** The item list of an alimtalk and the line above it: the same in a message and in the template it is made from. */
import { list } from '../request/field-kinds.ts';
import { required } from '../request/fields.ts';
import { characters, looseObject } from './messenger-fields.ts';

export const ALIMTALK_TYPES = ['AT', 'AI'] as const;
export type AlimtalkType = (typeof ALIMTALK_TYPES)[number];

/** An image at the head leaves the highlight less room. */
export const HIGHLIGHT_LIMITS = {
  AT: { title: 30, description: 19 },
  AI: { title: 21, description: 13 },
} as const satisfies Record<AlimtalkType, object>;

export const item = looseObject({
  code: 'A521',
  fields: {
    list: required(
      list({
        code: 'A521',
        item: looseObject({
          code: 'A521',
          fields: {
            title: required(characters('A521', 6, 'Name of the row.')),
            description: required(characters('A521', 23, 'Value of the row.')),
          },
          description: 'Row of the list.',
        }),
        min: 2,
        max: 10,
        description: 'Rows, 2 to 10.',
      }),
    ),
    summary: looseObject({
      code: 'A561',
      fields: {
        title: required(characters('A561', 6, 'Name of the row.')),
        description: required(characters('A561', 14, 'Amount.')),
      },
      description: 'Last row, such as a total.',
    }),
  },
  description: 'List of titles and values.',
});

export function itemHighlight(type: AlimtalkType) {
  const { title, description } = HIGHLIGHT_LIMITS[type];
  return looseObject({
    code: 'A560',
    fields: {
      title: characters('A560', title, 'Upper line.'),
      description: characters('A560', description, 'Lower line.'),
    },
    description: 'Line set off above the list.',
  });
}
