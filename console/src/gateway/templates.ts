import { type Pages, read, readList } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export const TEMPLATE_KINDS = ['alimtalkTemplate', 'brandmessageTemplate', 'rcsTemplate'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

export const TEMPLATE_STATES = ['draft', 'review', 'approved', 'rejected'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

/** The fields of its kind are beside these. */
export interface Template extends Readonly<Record<string, unknown>> {
  readonly kind: TemplateKind;
  readonly key: string;
  readonly state: TemplateState;
  readonly name?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly variables: readonly string[];
  readonly revision: number;
  readonly changedAt: string | null;
}

export interface TemplateChange {
  readonly at: string;
  readonly by: string;
  readonly revision: number;
  readonly state: TemplateState;
  readonly reason: string | null;
  readonly text: string;
}

export interface TemplateRecord {
  readonly template: Template;
  /** States that it can be put into. */
  readonly next: readonly TemplateState[];
  readonly isEditable: boolean;
  readonly history: readonly TemplateChange[];
}

export interface TemplateSearch {
  readonly kind?: string | undefined;
  readonly state?: string | undefined;
  readonly text?: string | undefined;
  readonly limit?: string | undefined;
}

export interface Imported {
  readonly created: number;
  readonly replaced: number;
  readonly unchanged: number;
  readonly problems: readonly { readonly entry: number; readonly result: string }[];
}

export const listTemplates = (account: string, search: TemplateSearch) =>
  readList<Template>(pathOf('accounts', account, 'templates'), 'templates', { ...search });

export const readTemplate = (account: string, kind: string, key: string) =>
  read<TemplateRecord>(pathOf('accounts', account, 'templates', kind, key));

export const saveTemplate = (account: string, kind: TemplateKind, key: string, body: object) =>
  call<Template>('PUT', pathOf('accounts', account, 'templates', kind, key), { body });

export const decideTemplate = (
  account: string,
  { kind, key, revision }: Template,
  state: TemplateState,
  reason: string,
) =>
  call<Template>('POST', pathOf('accounts', account, 'templates', kind, key, 'state'), {
    body: { state, revision, ...(reason && { reason }) },
  });

export const importTemplates = (account: string, templates: readonly unknown[], trial: boolean) =>
  call<Imported>('POST', pathOf('accounts', account, 'templates', 'import'), { body: { templates, trial } });

/** All of them, page by page, as an import takes them. */
export async function exportTemplates(account: string): Promise<object[]> {
  const all: object[] = [];
  let cursor: string | undefined;
  do {
    const { rows, next }: Pages<Template> = await listTemplates(account, { limit: '200' }).page(
      undefined,
      cursor,
    );
    for (const { variables, revision, changedAt, ...entry } of rows) all.push(entry);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return all;
}
