/**
 * What a network refuses that the gateway accepts: uploads that are not there, formats that nobody issued, and messages that
 * differ from the messenger template that is registered for them. Clients of this contract test with arbitrary words, so the
 * answer to them is A000 and the report says what is wrong; a messenger template that is not registered here may exist
 * there. The simulated network refuses by these rules; the composer, `doctor` and `bongsu send` warn by them.
 */
import { channelOf } from '../channels/channel-table.ts';
import { findRcsFormat, nearestFormat, RCS_TEMPLATE_KINDS } from '../channels/rcs/formats.ts';
import type { FileKey } from '../ids.ts';
import { referencesOf } from '../images/file-references.ts';
import { type Registered, registeredOf } from '../registry/registered.ts';
import type { RegistryRef } from '../registry/registry.ts';
import { stateOf } from '../registry/template-state.ts';
import type { ChannelFamily, ReportCode } from '../reports/report-codes.ts';
import { holdsPlaceholder } from '../request/field-kinds.ts';
import type { Step } from './flow.ts';
import { differencesFrom, templateOf } from './step-template.ts';

export type ObjectionName =
  | 'unknownFormat'
  | 'contentKind'
  | 'unknownFile'
  | 'templateState'
  | 'templateContent';

export interface NetworkObjection {
  readonly name: ObjectionName;
  readonly reportCode: ReportCode;
  /** For people: the field, the value and what is wrong with it. */
  readonly detail: string;
  /** The format and, where there is one, the format that was probably meant; the content and the format; the file; the state; the part. */
  readonly keys: readonly string[];
}

const NO_FILE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '23034',
  rcs: '33120',
  messenger: '63024',
};
const NO_FORMAT: ReportCode = '33121';
const WRONG_CONTENT: ReportCode = '33124';
const NO_TEMPLATE: ReportCode = '63015';
const OTHER_TEXT: ReportCode = '63016';
/** What a messenger says of each part that differs from the template. Quick replies count as buttons there. */
const OTHER_PART: Readonly<Record<string, ReportCode>> = {
  msgType: '61033',
  text: OTHER_TEXT,
  title: '63028',
  header: '63031',
  'attachment.item': '63036',
  'attachment.itemHighlight': '63033',
  'attachment.button': '63027',
  'supplement.quickReply': '63027',
};
const LONGEST_SHOWN = 100;

/** What has to be looked up; most messages need nothing. */
export interface NetworkQuestions {
  readonly templates: readonly RegistryRef[];
  readonly files: readonly FileKey[];
}

/** `publicUrl`: where this gateway serves uploads; see images/upload-address.ts. */
export function questionsOf(step: Step, publicUrl?: string): NetworkQuestions {
  const template = templateOf(step);
  return {
    templates: template ? [template] : [],
    files: [...filesOf(step, publicUrl).values()].flatMap(key => key ?? []),
  };
}

/** By what was found for the account of the message; the first is the one that a network reports. */
export function objectionsTo(
  step: Step,
  found: {
    readonly registered: Registered;
    readonly files: ReadonlySet<string>;
    readonly publicUrl?: string | undefined;
  },
): readonly NetworkObjection[] {
  const { registered, files, publicUrl } = found;
  return [
    ...formatObjections(step, registered),
    ...templateObjections(step, registered),
    ...fileObjections(step, files, publicUrl),
  ];
}

/** What can be told without asking a gateway: slips in the names of formats, and names that no upload has. */
export function certainObjections(step: Step): readonly NetworkObjection[] {
  const found = { registered: registeredOf([]), files: new Set<string>(questionsOf(step).files) };
  return objectionsTo(step, found).filter(isCertain);
}

/**
 * A real network may know a template that nobody has registered here, or have approved another text of one. A form has
 * placeholders where its messages have the words of the template.
 */
export function isCertain({ name, keys }: NetworkObjection): boolean {
  return name === 'unknownFormat' ? keys.length > 1 : name === 'contentKind' || name === 'unknownFile';
}

/** In a flow whose words are not put in yet, names may be open. */
export function isFilledIn({ keys }: NetworkObjection): boolean {
  return !keys.some(holdsPlaceholder);
}

function formatObjections(step: Step, registered: Registered): NetworkObjection[] {
  if (step.channel !== 'rcs' || findRcsFormat(step.formatId)) return [];
  const { formatId, contentKind } = step;
  const shown = shownOf(formatId);
  const template = registered.find('rcsTemplate', formatId);
  const state = template && stateOf(template);
  const objections: NetworkObjection[] = [];
  if (state !== 'approved') {
    const meant = template ? undefined : nearestFormat(formatId);
    const why = template
      ? `is a template in the state ${state}`
      : `is neither a format of the table nor a registered template${meant ? `; the nearest format is ${meant}` : ''}`;
    objections.push({
      name: 'unknownFormat',
      reportCode: NO_FORMAT,
      detail: `"formatId" ${shown} ${why}`,
      keys: meant ? [shown, meant] : [shown],
    });
  }
  const { kind } = RCS_TEMPLATE_KINDS[template?.templateKind ?? 'free'];
  if (contentKind && contentKind !== kind) {
    objections.push({
      name: 'contentKind',
      reportCode: WRONG_CONTENT,
      detail: `"content" holds "${contentKind}", which needs a format of the table; ${shown} is an issued template`,
      keys: [contentKind, shown],
    });
  }
  return objections;
}

function templateObjections(step: Step, registered: Registered): NetworkObjection[] {
  const template = messengerTemplate(step, registered);
  if (!template) return [];
  const code = shownOf(template.templateCode);
  const state = stateOf(template);
  if (state !== 'approved') {
    const detail = `"templateCode" ${code} is a template in the state ${state}`;
    return [{ name: 'templateState', reportCode: NO_TEMPLATE, detail, keys: [state] }];
  }
  return differencesFrom(template, step).map(part => ({
    name: 'templateContent',
    reportCode: OTHER_PART[part] ?? OTHER_TEXT,
    detail: `"${part}" differs from the registered template ${code}`,
    keys: [part],
  }));
}

function messengerTemplate(step: Step, registered: Registered) {
  const ref = templateOf(step);
  if (ref?.kind === 'alimtalkTemplate') return registered.find(ref.kind, ref.key);
  return ref?.kind === 'brandmessageTemplate' ? registered.find(ref.kind, ref.key) : undefined;
}

function fileObjections(
  step: Step,
  files: ReadonlySet<string>,
  publicUrl: string | undefined,
): NetworkObjection[] {
  const { family } = channelOf(step);
  return [...filesOf(step, publicUrl)]
    .filter(([, key]) => key === undefined || !files.has(key))
    .map(([name]) => ({
      name: 'unknownFile',
      reportCode: NO_FILE[family],
      detail: `${shownOf(name)} is not an uploaded file of the account, or it has expired`,
      keys: [shownOf(name)],
    }));
}

/** The uploads that a message names. Messengers also take images from other addresses, which nobody here can judge. */
function filesOf(step: Step, publicUrl: string | undefined): ReadonlyMap<string, FileKey | undefined> {
  const { files } = channelOf(step);
  const isAddress = files?.namedBy === 'address';
  const named = isAddress ? [] : (files?.uses(step) ?? []).map(({ name }) => [name, undefined] as const);
  return new Map<string, FileKey | undefined>([...named, ...referencesOf(step, publicUrl)]);
}

function shownOf(name: string): string {
  return name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN).toWellFormed()}…` : name;
}
