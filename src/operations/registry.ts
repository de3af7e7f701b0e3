/** What is registered for an account. */
import {
  REGISTRY_KIND_WORDS,
  REGISTRY_KINDS,
  type RegistryEntry,
  type RegistryEntryView,
  type RegistryKind,
  registryKey,
} from '../domain/registry/registry.ts';
import { parseRegistryEntries } from '../domain/registry/registry-list.ts';
import { word } from '../domain/request/field-kinds.ts';
import { type Field, type JsonSchema, schemaOfFields } from '../domain/request/fields.ts';
import { Problem } from '../domain/request/problem.ts';
import { ACCOUNT, anyFields, entryList, NO_ACCOUNT } from './common.ts';
import { type Logged, operation, resource, writtenAs } from './operation.ts';
import { closedObject } from './schemas.ts';
import { count, listOf, named, type Of, object, orNull, plain, text } from './shapes.ts';
import { said } from './words.ts';

const SENDER = '0212345678';
const EXAMPLE: RegistryEntryView = { kind: 'sender', key: SENDER, number: SENDER as never };

const Entry = named(
  'RegistryEntry',
  plain<RegistryEntryView>({ oneOf: REGISTRY_KIND_WORDS.map(kind => entrySchema(kind)) }),
);
const Appearance = named(
  'Appearance',
  object({
    key: text('Key of the sender profile or brand.'),
    name: orNull(text('Name that recipients see.')),
    logo: orNull(text('Image as a data: URL.', 'data: URL 형식의 이미지.')),
  }),
);
export type Appearance = Of<typeof Appearance>;

const entries: Field<readonly RegistryEntry[], true> = {
  ...entryList(
    said(
      'Each with `kind`, and its fields as in RegistryEntry.',
      '각 항목은 `kind`와 RegistryEntry의 필드로 이루어집니다.',
    ),
  ),
  read: readEntries,
};

/** An imported file may hold thousands of entries. */
const MOST_LOGGED = 20;

export const registry = resource(
  'Operator',
  {
    id: ACCOUNT,
    kind: {
      description: said('Kind of entry.', '항목의 종류.'),
      example: 'sender',
      values: REGISTRY_KIND_WORDS,
    },
    key: {
      description: said(
        'Identifies the entry within its kind; a key of two fields is joined by a slash, written %2F.',
        '종류 안에서 항목을 식별합니다. 두 항목으로 된 키는 슬래시(%2F)로 연결합니다.',
      ),
      example: SENDER,
    },
    senderKey: {
      description: said('A senderKey, or a brandKey.', 'senderKey 또는 brandKey.'),
      example: 'BR.a1B2c3D4e5',
    },
  },
  [
    operation('GET /accounts/{id}/registry', {
      id: 'listRegistry',
      role: 'viewer',
      summary: said('List what is registered for an account', '계정의 등록 정보 목록'),
      description: said(
        'Sender numbers, sender profiles, templates, brands and international sender ids. Logos, which are large, only with `kind=logo`.',
        '발신번호, 발신 프로필, 템플릿, 브랜드, 국제문자 발신자명입니다. 용량이 큰 로고는 `kind=logo`일 때만 포함됩니다.',
      ),
      query: {
        kind: {
          ...word({
            code: 'A300',
            values: REGISTRY_KIND_WORDS,
            description: said('Only entries of this kind.', '이 종류의 항목만.'),
          }),
          example: 'sender',
        },
      },
      answer: object({ entries: listOf(Entry) }),
      example: { entries: [EXAMPLE] },
      notFound: NO_ACCOUNT,
    }),
    operation('POST /accounts/{id}/registry', {
      id: 'putRegistry',
      role: 'operator',
      summary: said('Register several entries', '여러 항목 등록'),
      description: said(
        'All of them or none. An entry with the same kind and key is replaced.',
        '모두 등록하거나 하나도 등록하지 않습니다. 종류와 키가 같은 항목은 교체됩니다.',
      ),
      body: { entries: writtenAs<readonly object[]>()(entries) },
      examples: {
        [said('a sender number', '발신번호 하나')]: { entries: [{ kind: 'sender', number: SENDER }] },
      },
      answer: object({ entries: count('How many were registered.', '등록한 항목 수.') }),
      example: { entries: 1 },
      notFound: NO_ACCOUNT,
      audit: {
        action: 'registry.put',
        entry: ({ id, entries }) =>
          logged(
            id,
            entries.map(entry => ({ kind: entry.kind, key: registryKey(entry) })),
          ),
      },
    }),
    operation('PUT /accounts/{id}/registry/{kind}/{key}', {
      id: 'putRegistryEntry',
      role: 'operator',
      summary: said('Register an entry', '항목 등록'),
      description: said(
        'Replaces an entry with the same kind and key.',
        '종류와 키가 같은 항목을 교체합니다.',
      ),
      takesFields: true,
      body: anyFields(
        said(
          'The fields of the kind, as in RegistryEntry. Those that make up the key may be left out.',
          'RegistryEntry에 있는 해당 종류의 항목. 키가 되는 항목은 생략할 수 있습니다.',
        ),
      ),
      examples: { [said('sender number')]: { number: SENDER } },
      answer: Entry,
      example: EXAMPLE,
      notFound: NO_ACCOUNT,
      audit: { action: 'registry.put', entry: ({ id }, entry) => logged(id, [entry]) },
    }),
    operation('DELETE /accounts/{id}/registry/{kind}/{key}', {
      id: 'deleteRegistryEntry',
      role: 'operator',
      summary: said('Remove an entry', '항목 삭제'),
      description: 'Sends that were accepted before are not affected.',
      answer: object({
        kind: plain<RegistryKind>({ type: 'string', enum: REGISTRY_KIND_WORDS }),
        key: plain<string>({ type: 'string' }),
      }),
      example: { kind: 'sender', key: SENDER },
      notFound: said('There is no such account or entry.'),
      audit: {
        action: 'registry.delete',
        entry: ({ id }, { kind, key }) => ({ target: id, details: { kind, key } }),
      },
    }),
    operation('GET /accounts/{id}/appearance/{senderKey}', {
      id: 'readAppearance',
      role: 'viewer',
      summary: said('Show how a sender looks to recipients', '수신자에게 보이는 발신자 모습 조회'),
      description: said(
        'Name and logo of a sender profile or brand, as they are registered; null for what is not. The previews of the console use them.',
        '등록된 발신 프로필 또는 브랜드의 이름과 로고입니다. 없으면 null이며, 콘솔의 미리보기에 사용합니다.',
      ),
      answer: Appearance,
      example: { key: 'BR.a1B2c3D4e5', name: 'Shop', logo: null },
      notFound: NO_ACCOUNT,
    }),
  ],
);

function logged(
  target: string,
  entries: readonly { readonly kind: RegistryKind; readonly key: string }[],
): Logged {
  const kinds = [...new Set(entries.map(({ kind }) => kind))];
  const keys = entries.slice(0, MOST_LOGGED).map(({ key }) => key);
  return { target, details: { entries: entries.length, kinds, keys } };
}

/** All of them, or what is wrong with the first that is wrong. Their number is bounded by the size of a body. */
function readEntries(given: unknown): readonly RegistryEntry[] | Problem {
  if (!Array.isArray(given)) return new Problem('A300', '"entries" must be a list of entries');
  const { entries: read, problems } = parseRegistryEntries(given, entry => entry);
  const [first] = problems;
  if (first) return new Problem(first.problem.code, `Entry ${first.entry}: ${first.problem.result}`);
  return read;
}

/** An entry of one kind as operators see it; `more` is what it has beside the fields of its kind. */
export function entrySchema(
  kind: RegistryKind,
  key: JsonSchema = { type: 'string' },
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const { meaning, fields } = REGISTRY_KINDS[kind];
  const { properties, required } = schemaOfFields(fields) as {
    properties: Readonly<Record<string, JsonSchema>>;
    required: readonly string[];
  };
  const optional = Object.keys(properties).filter(name => !required.includes(name) && !(name in more));
  return {
    ...closedObject({ kind: { const: kind }, key, ...properties, ...more }, optional),
    description: meaning,
  };
}
