/** RCS in the table of channels. */
import { measureFields } from '../../request/measures.ts';
import { hasFreeNumber, isMarkedOrReadsAsAdvertisement } from '../../text/advertisement-mark.ts';
import type { ChannelDescription } from '../channel-description.ts';
import type { FallbackStep } from '../fallback.ts';
import { contentStyle } from './content.ts';
import { rcsServiceKind } from './formats.ts';
import { rcsImageProblem } from './images.ts';
import { rcsMeasures } from './measures.ts';
import {
  expiryMs,
  parseRcs,
  parseRcsEntry,
  type RcsStep,
  rcsEntryFields,
  rcsFields,
  rcsMediaOf,
} from './rcs.ts';
import { limitsOfTemplateKind, registeredBrandAndTemplate, templateKindCompletion } from './registry.ts';

/** The fields whose names say that they are text differ between formats. */
function textsOf({ body }: RcsStep): readonly string[] {
  return Object.values(body ?? {}).filter(value => typeof value === 'string');
}

/** The handset shows the mark above the message and the number below it. */
function rcsMarkProblem(step: RcsStep, isFallbackOfOne: boolean): string | undefined {
  const { header, footer = '' } = step;
  if (header === '1') {
    return hasFreeNumber(footer)
      ? undefined
      : '"footer" of an advertisement must be a free number for opting out, such as 080-123-4567';
  }
  return isFallbackOfOne || textsOf(step).some(isMarkedOrReadsAsAdvertisement)
    ? '"header" must be "1" for an advertisement'
    : undefined;
}

/** Values of an issued template are written as they came; the other contents in carrier-standard form. */
function writeRcs({ channel, templateKind, contentKind, ...fields }: RcsStep): object {
  if (contentKind !== 'template') return fields;
  const { body, buttons, ...others } = fields;
  return { ...others, content: { template: body } };
}

export const rcsChannel: ChannelDescription<RcsStep, FallbackStep> = {
  family: 'rcs',
  request: {
    fields: { single: rcsFields, entry: rcsEntryFields },
    // Of `content` and `body` a message has exactly one.
    schemaRule: { oneOf: [{ required: ['content'] }, { required: ['body'] }] },
    readSingle: parseRcs,
    readEntry: parseRcsEntry,
    measure: message => [...rcsMeasures(message), ...measureFields(rcsEntryFields, message)],
    write: writeRcs,
    ...contentStyle,
    fitsSingleSend: step => step.brandKey !== undefined,
  },
  registry: {
    enforced: registeredBrandAndTemplate,
    unenforced: limitsOfTemplateKind,
    completion: templateKindCompletion,
  },
  files: { namedBy: 'media', uses: rcsMediaOf, problem: rcsImageProblem },
  report: { msgType: step => rcsServiceKind(step.formatId, step.templateKind) },
  deadlineMs: step => expiryMs(step.expiryOption),
  advertisement: { isFlagged: step => step.header === '1', textsOf, problem: rcsMarkProblem },
  recipientsCanBlock: false,
};
