/** The library of templates of an account, their states and their history. */
import { TEMPLATE_KINDS, type TemplateKind } from '../domain/registry/template.ts';
import { TEMPLATE_STATES } from '../domain/registry/template-state.ts';
import {
  field,
  flag as flagField,
  text as textField,
  wholeNumber,
  word,
} from '../domain/request/field-kinds.ts';
import { required } from '../domain/request/fields.ts';
import { cursor } from '../domain/request/list-fields.ts';
import { ACCOUNT, anyFields, EXAMPLE_TIME, entryList, LIMIT, NO_ACCOUNT } from './common.ts';
import { operation, resource } from './operation.ts';
import { entrySchema } from './registry.ts';
import * as schemas from './schemas.ts';
import { count, flag, listOf, named, type Of, object, oneOf, orNull, plain, text, time } from './shapes.ts';
import { said } from './words.ts';

const KEY = 'TPL01';
const NO_TEMPLATE = said('There is no such account or template.');
const REVISION = said(
  'Higher with every change; sent back with the next one.',
  '변경할 때마다 커지며, 다음 변경 요청에 함께 보냅니다.',
);
const STATE = said('State of its approval.', '승인 상태.');

const state = oneOf(TEMPLATE_STATES, STATE);
const variables = plain<readonly string[]>({
  type: 'array',
  items: { type: 'string' },
  description: said(
    'Names of the values that a message made from it needs; at most 100.',
    '이 템플릿으로 만든 메시지에 필요한 값의 이름. 최대 100개.',
  ),
});
const COMMON = {
  state,
  variables,
  revision: count(REVISION),
  changedAt: orNull(
    time(
      'Last change; null if that was before changes were recorded.',
      '마지막 변경. 변경을 기록하기 전이면 null.',
    ),
  ),
};

/** The fields of its kind are beside these. */
export type TemplateView = Readonly<Record<string, unknown>> & {
  readonly kind: TemplateKind;
  readonly key: string;
  readonly name?: string;
  readonly reason?: string;
  readonly text?: string;
} & { readonly [Name in keyof typeof COMMON]: Of<(typeof COMMON)[Name]> };

const Template = named('Template', plain<TemplateView>({ oneOf: TEMPLATE_KINDS.map(templateSchema) }));
const Change = named(
  'TemplateChange',
  object({
    at: time('When it was changed.', '변경 시각.'),
    by: text('Who changed it.', '변경한 운영자.'),
    revision: COMMON.revision,
    state,
    reason: orNull(text('What was said about the state; null if nothing.', '상태에 대한 의견. 없으면 null.')),
    text: text('Text of the template after the change.', '변경 후의 템플릿 본문.'),
  }),
);
const Detail = object({
  template: Template,
  next: listOf(state, 'States that it can be put into.', '변경할 수 있는 상태.'),
  isEditable: flag('Whether it can be saved in this state.', '이 상태에서 저장할 수 있는지 여부.'),
  history: listOf(Change, 'Newest first.'),
});
const Imported = object({
  created: count('Templates that are new.', '새로 추가된 템플릿.'),
  replaced: count('Templates in the place of others.', '교체된 템플릿.'),
  unchanged: count('Templates that are there as they are.', '변경되지 않은 템플릿.'),
  problems: listOf(
    object({
      entry: plain<number>({
        type: 'integer',
        minimum: 1,
        description: said('Place in the list.', '목록에서의 위치.'),
      }),
      result: text('The field and the rule.'),
    }),
    'At most 50; only with trial, otherwise the first of them is the answer.',
    '최대 50건. trial일 때만 있으며, 아니면 첫 번째 문제로 응답합니다.',
  ),
});
export type TemplateChange = Of<typeof Change>;
export type TemplateDetail = Of<typeof Detail>;
export type ImportedTemplates = Of<typeof Imported>;

const CONTENT = { templateKind: 'description', name: 'Welcome', text: '{{name}}, welcome' } as const;
const EXAMPLE: TemplateView = {
  kind: 'rcsTemplate',
  key: KEY,
  formatId: KEY,
  ...CONTENT,
  state: 'review',
  variables: ['name'],
  revision: 2,
  changedAt: EXAMPLE_TIME,
};

/** That of the template that was read. */
export const revision = wholeNumber({
  code: 'A300',
  min: 0,
  max: 2 ** 31 - 1,
  isNumber: true,
  description: REVISION,
});
const stateField = word({ code: 'A300', values: TEMPLATE_STATES, description: STATE });

export const templates = resource(
  'Stored',
  {
    id: ACCOUNT,
    kind: {
      description: said('Kind of template.', '템플릿 종류.'),
      example: 'rcsTemplate',
      values: TEMPLATE_KINDS,
    },
    key: {
      description: said(
        'Of an alimtalk or brandmessage template senderKey/templateCode, with the slash as %2F; of an RCS template formatId.',
        '알림톡과 브랜드메시지 템플릿은 senderKey/templateCode(슬래시는 %2F), RCS 템플릿은 formatId.',
      ),
      example: KEY,
    },
  },
  [
    operation('GET /accounts/{id}/templates', {
      id: 'listTemplates',
      role: 'viewer',
      needs: 'gateway',
      summary: said('List the templates of an account', '계정의 템플릿 목록'),
      description: said(
        'By kind and key. A page may hold fewer than asked for, even none, and still have a next.',
        '종류와 키 순서입니다. 페이지가 요청한 수보다 짧거나 비어 있어도 next가 있을 수 있습니다.',
      ),
      query: {
        kind: {
          ...word({
            code: 'A300',
            values: TEMPLATE_KINDS,
            description: said('Only templates of this kind.', '이 종류의 템플릿만.'),
          }),
          example: 'rcsTemplate',
        },
        state: {
          ...word({
            code: 'A300',
            values: TEMPLATE_STATES,
            description: said('Only templates in this state.', '이 상태의 템플릿만.'),
          }),
          example: 'approved',
        },
        text: {
          ...field(
            'A300',
            {
              type: 'string',
              description: said('A part of the code, the name or the text.', '코드, 이름 또는 본문의 일부.'),
            },
            String,
          ),
          example: 'welcome',
        },
        cursor: cursor('rcsTemplate:TPL01', parseCursor),
        limit: LIMIT,
      },
      answer: object({
        templates: listOf(Template, 'By kind and key.', '종류와 키 순서.'),
        next: orNull(text('Cursor of the next page; null on the last one.')),
      }),
      example: { templates: [EXAMPLE], next: null },
      notFound: NO_ACCOUNT,
    }),
    operation('PUT /accounts/{id}/templates/{kind}/{key}', {
      id: 'saveTemplate',
      role: 'operator',
      needs: 'gateway',
      summary: said('Save a draft of a template', '템플릿 초안 저장'),
      description: said(
        'The template is then in the state draft. One that is in review or approved cannot be saved; one that somebody else has changed since it was read neither.',
        '저장하면 초안 상태가 됩니다. 검수 중이거나 승인된 템플릿, 조회한 뒤 다른 사람이 변경한 템플릿은 저장할 수 없습니다.',
      ),
      takesFields: true,
      body: anyFields(
        said(
          'The fields of the kind, as in Template, except state and reason; and the revision that was read, none for a new template.',
          'Template에 있는 해당 종류의 항목(state와 reason 제외)과 조회한 revision. 새 템플릿은 revision이 없습니다.',
        ),
      ),
      examples: { [said('a new template', '새 템플릿')]: CONTENT },
      answer: Template,
      example: { ...EXAMPLE, state: 'draft', revision: 1 },
      notFound: NO_ACCOUNT,
      audit: {
        action: 'template.change',
        entry: ({ id }, { kind, key }) => ({ target: id, details: { kind, key } }),
      },
    }),
    operation('GET /accounts/{id}/templates/{kind}/{key}', {
      id: 'readTemplate',
      role: 'viewer',
      needs: 'gateway',
      summary: said('Read a template with its history', '템플릿과 변경 이력 조회'),
      description: said(
        'The last 30 changes are kept, newest first.',
        '최근 변경 30건을 최신순으로 보관합니다.',
      ),
      answer: Detail,
      example: {
        template: EXAMPLE,
        next: ['approved', 'rejected', 'draft'],
        isEditable: false,
        history: [
          { at: EXAMPLE_TIME, by: 'kim', revision: 2, state: 'review', reason: null, text: CONTENT.text },
        ],
      },
      notFound: NO_TEMPLATE,
    }),
    operation('POST /accounts/{id}/templates/{kind}/{key}/state', {
      id: 'decideTemplate',
      role: 'operator',
      needs: 'gateway',
      summary: said('Put a template into another state', '템플릿 상태 변경'),
      description: said(
        'From draft to review; from review to approved, rejected or draft; from approved to rejected or draft; from rejected to draft or review.',
        '초안에서 검수로, 검수에서 승인·반려·초안으로, 승인에서 반려·초안으로, 반려에서 초안·검수로 변경합니다.',
      ),
      body: {
        state: required(stateField),
        reason: textField({
          code: 'A300',
          max: 500,
          unit: 'characters',
          description: said('Required to reject.', '반려할 때 필수.'),
        }),
        revision: required(revision),
      },
      examples: {
        [said('hand it in', '검수 요청')]: { state: 'review', revision: 1 },
        [said('approved')]: { state: 'approved', revision: 2 },
        [said('rejected')]: { state: 'rejected', reason: 'The link leads nowhere.', revision: 3 },
      },
      answer: Template,
      example: { ...EXAMPLE, state: 'approved', revision: 3 },
      notFound: NO_TEMPLATE,
      audit: {
        action: 'template.state',
        entry: ({ id, kind, key }, { state, reason }) => ({
          target: id,
          details: { kind, key, state, ...(reason !== undefined && { reason }) },
        }),
      },
    }),
    operation('POST /accounts/{id}/templates/import', {
      id: 'importTemplates',
      role: 'operator',
      needs: 'gateway',
      summary: said('Import templates', '템플릿 가져오기'),
      description: said(
        'Stores all templates of the list or none; one under the same key is replaced. A template without a state is approved. With trial nothing is stored, and the answer lists every problem.',
        '목록의 템플릿을 모두 저장하거나 하나도 저장하지 않습니다. 같은 키의 템플릿은 교체합니다. 상태가 없는 템플릿은 승인된 것으로 봅니다. trial이면 저장하지 않고 모든 문제를 알려 줍니다.',
      ),
      body: {
        templates: entryList(
          said('Entries of the registry, as in RegistryEntry.', 'RegistryEntry 형식의 등록 항목.'),
          1000,
        ),
        trial: flagField(
          said('Only say what would happen. Default false.', '결과만 확인합니다. 기본값 false.'),
        ),
      },
      examples: {
        [said('one template', '템플릿 1개')]: {
          templates: [{ kind: 'rcsTemplate', key: 'TPL02', ...CONTENT }],
        },
      },
      answer: Imported,
      example: { created: 1, replaced: 0, unchanged: 0, problems: [] },
      notFound: NO_ACCOUNT,
      audit: {
        action: 'template.import',
        entry: ({ id, trial }, { created, replaced }) =>
          trial || created + replaced === 0 ? undefined : { target: id, details: { created, replaced } },
      },
    }),
  ],
);

function templateSchema(word: TemplateKind) {
  const more = Object.fromEntries(Object.entries(COMMON).map(([name, { schema }]) => [name, schema]));
  return entrySchema(
    word,
    schemas.text(said('Identifies the template within its kind.', '종류 안에서 템플릿을 식별합니다.')),
    more,
  );
}

/** `kind:key`. */
function parseCursor(given: string) {
  const colon = given.indexOf(':');
  const kind = TEMPLATE_KINDS.find(known => known === given.slice(0, Math.max(colon, 0)));
  return kind && { kind, key: given.slice(colon + 1) };
}
