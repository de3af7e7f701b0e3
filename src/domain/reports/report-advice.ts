/**
 * What an operator can do about a report code. Codes are many, remedies few: the first rule that fits a code says which.
 * A test holds that every code has one.
 */
import type { ReportCode } from './report-codes.ts';

export const ADVICE = [
  /** The recipient cannot be reached now: send again later. */
  'later',
  /** The number is wrong, or nobody's: correct or remove it. */
  'number',
  /** The recipient does not want it: do not send again. */
  'refused',
  /** The handset or the user cannot get this channel: send on another one, or with a fallback. */
  'channel',
  /** Sender number, brand or profile is not in order: register it, or use another. */
  'sender',
  /** Text, template, buttons or files are not accepted: send an edited copy. */
  'content',
  /** Outside the hours of advertisements: send again within them. */
  'hours',
  /** Held to be spam or phishing: change text and links, or talk to the carrier. */
  'spam',
  /** The carrier or its platform had a problem: look at the carrier, send again once it is well. */
  'carrier',
  /** Login, contract, rights or quota at the carrier: correct the settings, or ask the carrier. */
  'contract',
  /** It may have arrived: ask the recipient before sending again. */
  'unsure',
  /** The same message was taken before: nothing to do. */
  'duplicate',
  /** It was cancelled in time: nothing to do. */
  'cancelled',
  /** No carrier serves it: check routes and carriers. */
  'route',
  /** Nothing is known: ask the carrier with the message key. */
  'ask',
] as const;

export type Advice = (typeof ADVICE)[number];

const RULES: readonly (readonly [codes: RegExp, advice: Advice])[] = [
  [/^(22|32)000$/, 'unsure'],
  [/^(60600|55821|56003|63005|6ME09|41117|70001|60681)$/, 'unsure'],
  [/^(22|32)/, 'later'],
  [/^[23]3(005|008)$|^54003$|^56007$|^56101$/, 'later'],
  [/^[23]3(001|003|004|040)$|^(42004|42005|52001|55817|61012|61015|61020|63008|60503)$/, 'number'],
  [/^[23]3(002|006)$|^(60511|63018|63020|74\d\d\d|90002)$/, 'refused'],
  [/^[23]3010$|^33101$|^412\d\d$|^5400[12678]$|^(63019|63021|52007|42007|62003|65000)$/, 'channel'],
  [/^[23]3029$|^63022$/, 'hours'],
  [/^[23]3(012|041)$|^(42602|54005)$/, 'spam'],
  [/^[23]3(018|019|023|036)$|^23037$|^60162$/, 'sender'],
  [/^331(15|16|22)$|^33200$|^(42001|42003|55819)$/, 'sender'],
  [/^55002$/, 'content'],
  [/^5110\d$|^55[0123]\d\d$|^5580[789]$|^5200[3-9]$|^5201[012]$|^52099$/, 'sender'],
  [/^(60501|6100[367]|6101[46]|6102[1-57]|64104|73\d\d\d)$/, 'sender'],
  [/^[23]3025$|^(33114|42514|51003|55806|60504|63012)$/, 'duplicate'],
  [/^90001$/, 'cancelled'],
  [/^[23]3015$/, 'route'],
  [/^(33123|33124|42601|50201|50202|65001)$/, 'contract'],
  [/^400\d\d$|^500\d\d$|^5010[01]$|^51911$|^52098$/, 'contract'],
  [/^(60400|60500|60502|60507|60508|60512|61002|61011|61013|61026|61028|6400[89]|64010|69998)$/, 'contract'],
  [/^[23]3(009|016|022|030|031|032|033|034)$|^331\d\d$/, 'content'],
  [/^420\d\d$|^42[123]\d\d$|^42402$|^53\d\d\d$|^55[5678]\d\d$|^55900$|^55901$|^52023$/, 'content'],
  [/^5100[456]$|^51900$|^(60505|60506|60509|60510)$/, 'content'],
  [/^61\d\d\d$|^62\d\d\d$|^630[1-5]\d$|^6410[2]$|^6411\d$|^6412\d$|^67\d\d\d$|^685\d\d$/, 'content'],
  [/^71\d\d\d$|^72\d\d\d$|^79052$|^90003$/, 'content'],
  [/^[23]3(011|013|035)$|^33100$|^41\d\d\d$|^45\d\d\d$|^51\d\d\d$|^52\d\d\d$|^54\d\d\d$/, 'carrier'],
  [/^5[69]\d\d\d$|^6300[0-9]$|^68999$|^79051$|^64001$/, 'carrier'],
  [/./, 'ask'],
];

export function adviceOn(code: ReportCode): Advice {
  return RULES.find(([codes]) => codes.test(code))?.[1] ?? 'ask';
}
