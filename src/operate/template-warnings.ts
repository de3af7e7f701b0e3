/**
 * What is probably not meant in a message that is made from a template of the library: a template that is not approved,
 * content that differs from it, a value that is missing. An account with enforcement is refused some of this; every account
 * is told.
 */
import type { Flow, Step } from '../domain/delivery/flow.ts';
import { differencesFrom, templateOf } from '../domain/delivery/step-template.ts';
import { type RegistryEntry, type RegistryRef, registryKey } from '../domain/registry/registry.ts';
import { isTemplate, type TemplateEntry, variablesOf } from '../domain/registry/template.ts';
import { stateOf } from '../domain/registry/template-state.ts';

export interface TemplateWarning {
  readonly name: 'templateState' | 'templateContent' | 'templateValue';
  readonly step: number;
  /** The state; the fields that differ; the values that are missing. */
  readonly keys: readonly string[];
}

const MOST_KEYS = 10;

export async function templateWarnings(
  flow: Flow,
  find: (wanted: readonly RegistryRef[]) => Promise<readonly RegistryEntry[]>,
): Promise<TemplateWarning[]> {
  const wanted = flow.flatMap(step => templateOf(step) ?? []);
  if (wanted.length === 0) return [];
  const found = (await find(wanted)).filter(isTemplate);
  return flow.flatMap((step, position) => {
    const ref = templateOf(step);
    const template = found.find(entry => entry.kind === ref?.kind && registryKey(entry) === ref.key);
    return template ? warningsOf(step, template, position) : [];
  });
}

function warningsOf(step: Step, template: TemplateEntry, position: number): TemplateWarning[] {
  const state = stateOf(template);
  const found: readonly (readonly [name: TemplateWarning['name'], keys: readonly string[]])[] = [
    ['templateState', state === 'approved' ? [] : [state]],
    ['templateContent', differencesFrom(template, step).map(lastName)],
    ['templateValue', step.channel === 'rcs' ? missingValues(step.body, template) : []],
  ];
  return found
    .filter(([, keys]) => keys.length > 0)
    .map(([name, keys]) => ({ name, step: position, keys: keys.slice(0, MOST_KEYS) }));
}

function lastName(path: string): string {
  return path.split('.').at(-1) ?? path;
}

function missingValues(body: Readonly<Record<string, unknown>>, template: TemplateEntry): string[] {
  return variablesOf(template).filter(name => body[name] === undefined || body[name] === '');
}
