/** The addresses of templates: filters and the account are in them, so that a list or a template can be shared. */
import type { TemplateKind } from '../../../src/domain/registry/template.ts';

const TEMPLATES = '/templates';

export function templateAddress(account: string, kind: TemplateKind, key: string): string {
  return `${TEMPLATES}/${kind}/${encodeURIComponent(key)}?${new URLSearchParams({ account })}`;
}

/** Of a new one; `like` is the key of the template that it is copied from. */
export function newTemplateAddress(account: string, kind: TemplateKind, like?: string): string {
  return `${TEMPLATES}/new?${new URLSearchParams({ account, kind, ...(like !== undefined && { like }) })}`;
}

export function listAddress(query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return given.length > 0 ? `${TEMPLATES}?${new URLSearchParams(given)}` : TEMPLATES;
}
