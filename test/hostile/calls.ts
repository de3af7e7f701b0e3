/** How functions that take more than one text are called with a hostile one, and the functions that no stranger's text reaches. */

import { compileInbound } from '../../src/carriers/http/inbound.ts';
import { replaceReferences } from '../../src/carriers/http/media-references.ts';
import { memberOf as memberAt } from '../../src/carriers/http/pointer.ts';
import { troubleOf } from '../../src/carriers/http/trouble.ts';
import { requestRef } from '../../src/carriers/omni/references.ts';
import { refusalCode } from '../../src/carriers/omni/refusal-codes.ts';
import { readRecords } from '../../src/carriers/omni/report-records.ts';
import { refusedByUs } from '../../src/carriers/refused-by-us.ts';
import { outcomeFor } from '../../src/carriers/simulator/simulated-outcomes.ts';
import { decodePdu } from '../../src/carriers/smpp/decode.ts';
import { decodeGsm, encodeGsm } from '../../src/carriers/smpp/gsm-alphabet.ts';
import { isReadable, readOctets } from '../../src/carriers/smpp/inbound-text.ts';
import { receiptRef, submitRef } from '../../src/carriers/smpp/message-ids.ts';
import { readReceipt } from '../../src/carriers/smpp/receipt.ts';
import { matchesOf, refsByForm } from '../../src/carriers/smpp/receipt-id-forms.ts';
import { parseSettings } from '../../src/domain/account/account-settings.ts';
import { isWithin, parseAddressRange } from '../../src/domain/account/addresses.ts';
import { agrees } from '../../src/domain/channels/alimtalk-registry.ts';
import { pathTo, withoutBlanks } from '../../src/domain/channels/messenger-fields.ts';
import { actionProblem } from '../../src/domain/channels/rcs/actions.ts';
import { spelledAsKnown } from '../../src/domain/channels/rcs/body.ts';
import { readFreeKeys } from '../../src/domain/channels/rcs/text.ts';
import {
  isAdvertisement,
  quietHoursCode,
  reservedHourProblem,
} from '../../src/domain/delivery/advertisement.ts';
import { certainObjections, questionsOf } from '../../src/domain/delivery/network-objections.ts';
import { isOptOutKeyword, isRefused } from '../../src/domain/delivery/opt-out.ts';
import { parseOptOut } from '../../src/domain/delivery/opt-out-request.ts';
import { senderOf } from '../../src/domain/delivery/sender.ts';
import { stepInFlow } from '../../src/domain/delivery/step-in-flow.ts';
import { fileKeyIn, referencesOf } from '../../src/domain/images/file-references.ts';
import { readImageHeader } from '../../src/domain/images/image-header.ts';
import { parseImagePath } from '../../src/domain/images/image-rules.ts';
import { uploadKeyIn } from '../../src/domain/images/upload-address.ts';
import { ownerOf } from '../../src/domain/inbound/inbound.ts';
import { koreanSentence } from '../../src/domain/korean/korean.ts';
import { particleAfter } from '../../src/domain/korean/particles.ts';
import { parseRegistryEntry } from '../../src/domain/registry/registry.ts';
import { parseRegistryEntries } from '../../src/domain/registry/registry-list.ts';
import { mentions, variablesOf } from '../../src/domain/registry/template.ts';
import { describeStep } from '../../src/domain/reports/report-record.ts';
import { answerProblem, keptAnswer } from '../../src/domain/reports/webhook.ts';
import { isUnfilled, measured } from '../../src/domain/request/field-kinds.ts';
import { flowNames, singleNames } from '../../src/domain/request/field-names.ts';
import { memberOf } from '../../src/domain/request/fields.ts';
import { lengthIn } from '../../src/domain/request/measures.ts';
import { parseDestination } from '../../src/domain/request/omni.ts';
import { isSameNumber, withoutNumber } from '../../src/domain/request/phone-number.ts';
import { parseTraceparent, traced } from '../../src/domain/request/traceparent.ts';
import { adFlagProblem, textMarkProblem } from '../../src/domain/text/advertisement-mark.ts';
import { countSaid, fitsCharacters } from '../../src/domain/text/characters.ts';
import {
  parseWords,
  renderStep,
  shownStep,
  substitute,
  withEachWord,
} from '../../src/domain/text/substitution.ts';
import { templateCanMatch, templateMatches } from '../../src/domain/text/template-match.ts';
import { plainReaders } from '../../src/http/front/plain-request.ts';
import { parseJson } from '../../src/http/json-body.ts';
import { jsonBudgetProblem } from '../../src/http/json-budget.ts';
import { inKorean } from '../../src/http/language.ts';
import { parseText } from '../../src/http/operator/list-query.ts';
import { shownInbound } from '../../src/operate/masking.ts';
import { buildCp949, encodeCp949, readCp949 } from '../../src/platform/cp949.ts';
import { BrokenCsv, formatCsvRow, parseCsv } from '../../src/platform/csv.ts';
import { hmacSha256, isSameSecret, sha256 } from '../../src/platform/hashing.ts';
import { charsetOfBody, decodeText, readableBody, unpackedBody } from '../../src/platform/http-text.ts';
import { parseRetryAfterMs } from '../../src/platform/retry-after.ts';
import { isSignedBy } from '../../src/platform/standard-webhooks.ts';
import { zonedTimeParser } from '../../src/platform/zoned-time.ts';

type Call = (text: string) => unknown;

const json = (value: unknown) => JSON.stringify(value);
const bytes = (text: string) => Buffer.from(text);
const sms = (text: string) => ({ channel: 'sms', from: '0212345678', text }) as const;
const mms = (text: string) => ({ ...sms(text), channel: 'mms', fileKey: [text] }) as const;
const words = (text: string) => text.split(' ', 1000);
const table = buildCp949();
const room = new Uint8Array(1 << 20);
const ranges = ['10.0.0.0/8', '2001:db8::/32'].map(range => {
  const parsed = parseAddressRange(range);
  if (typeof parsed === 'string') throw new Error(`${range} ${parsed}`);
  return parsed;
});
const inbound = compileInbound(
  { id: '/id', from: '/from', to: '/to', text: '/text' } as never,
  'inbound',
  [],
);
const frame = (text: string) => {
  const body = bytes(text);
  const head = Buffer.alloc(16);
  head.writeUInt32BE(body.length + 16, 0);
  head.writeUInt32BE(5, 4);
  return Buffer.concat([head, body]);
};

/** By file and name, as `outsideFunctions` finds them; those that it cannot see stand at the end. */
export const CALLS: Readonly<Record<string, Call>> = {
  'carriers/http/media-references.ts replaceReferences': text =>
    replaceReferences([text, words(text)], new Map([['a', 'b']])),
  'carriers/http/pointer.ts memberOf': text => memberAt({ [text]: text }, text),
  'carriers/http/trouble.ts troubleOf': text => troubleOf('sms', text),
  'carriers/refused-by-us.ts refusedByUs': text => refusedByUs('23034', text),
  'carriers/omni/references.ts requestRef': text => requestRef(words(text)),
  'carriers/omni/refusal-codes.ts refusalCode': text => refusalCode(text, 'sms'),
  'carriers/omni/report-records.ts readRecords': text =>
    readRecords(words(text).map(word => ({ msgKey: word, ref: text.slice(0, 500), reportCode: '10000' }))),
  'carriers/simulator/simulated-outcomes.ts outcomeFor': text => outcomeFor(text, 'sms', 1),
  'carriers/smpp/decode.ts decodePdu': text => decodePdu(frame(text)),
  'carriers/smpp/gsm-alphabet.ts encodeGsm': text => encodeGsm(text, room),
  'carriers/smpp/gsm-alphabet.ts decodeGsm': text => decodeGsm(bytes(text)),
  'carriers/smpp/inbound-text.ts isReadable': text =>
    ['gsm', 'octets', 'euc-kr'].map(alphabet => isReadable(alphabet, bytes(text), true)),
  'platform/cp949.ts readCp949': text => readCp949(bytes(text)),
  'platform/http-text.ts charsetOfBody': text => charsetOfBody({ 'content-type': text }, bytes(text)),
  'platform/http-text.ts decodeText': text => [
    decodeText(bytes(text), 'euc-kr'),
    decodeText(bytes(''), text),
  ],
  'platform/http-text.ts unpackedBody': text =>
    unpackedBody({ 'content-encoding': text }, bytes(text), 1 << 20),
  'platform/http-text.ts readableBody': text => readableBody({ 'content-type': text }, bytes(text), 1 << 20),
  'carriers/smpp/inbound-text.ts readOctets': text =>
    ['gsm', 'octets', 'euc-kr', 'utf-16be'].map(alphabet => readOctets(alphabet, bytes(text))),
  'carriers/smpp/message-ids.ts submitRef': text => submitRef(text, 'exact'),
  'carriers/smpp/message-ids.ts receiptRef': text => receiptRef(text, 'exact', 'hexToDecimal'),
  'carriers/smpp/receipt-id-forms.ts refsByForm': text => refsByForm(text, 'exact'),
  'carriers/smpp/receipt-id-forms.ts matchesOf': text =>
    matchesOf([text], { to: text, from: text }, new Map([[text, [text]]])),
  'domain/account/addresses.ts isWithin': text => isWithin(ranges, text),
  'domain/channels/messenger-fields.ts withoutBlanks': text =>
    withoutBlanks(Object.fromEntries(words(text).map(word => [word, '']))),
  'domain/channels/messenger-fields.ts pathTo': text => pathTo(text, text),
  'domain/channels/rcs/text.ts readFreeKeys': text =>
    readFreeKeys(
      [
        ['key', text],
        [text, words(text)],
      ],
      'body',
    ),
  'domain/channels/alimtalk-registry.ts agrees': text => agrees([{ text }], [{ text }], 'template'),
  'domain/delivery/advertisement.ts isAdvertisement': text => isAdvertisement(sms(text)),
  'domain/delivery/advertisement.ts quietHoursCode': text => quietHoursCode(sms(text)),
  'domain/delivery/advertisement.ts reservedHourProblem': text =>
    reservedHourProblem(
      { advertisements: 'refuse', adHours: '08:00-20:50' } as never,
      [sms(text)],
      '03:00:00',
    ),
  'domain/channels/rcs/body.ts spelledAsKnown': text => spelledAsKnown({ [text]: text }, [text]),
  'domain/delivery/network-objections.ts questionsOf': text => questionsOf(mms(text)),
  'domain/delivery/network-objections.ts certainObjections': text => certainObjections(mms(text)),
  'domain/delivery/opt-out-request.ts parseOptOut': text =>
    parseOptOut({ to: text, sender: text, covers: text }, ''),
  'domain/delivery/opt-out.ts isOptOutKeyword': text => isOptOutKeyword(text, ['STOP', '수신거부']),
  'domain/delivery/opt-out.ts isRefused': text =>
    isRefused({ step: sms(text), first: sms(text) }, [{ sender: '0212345678', covers: 'advertisements' }]),
  'domain/delivery/sender.ts senderOf': text => senderOf({ ...sms(''), from: text }),
  'domain/images/file-references.ts fileKeyIn': text => fileKeyIn(`http://${text}`, 'address'),
  'domain/images/file-references.ts referencesOf': text => referencesOf(sms(text)),
  'domain/images/upload-address.ts uploadKeyIn': text =>
    uploadKeyIn(`http://${text}/files/${'A'.repeat(32)}`, 'https://msg.example.com'),
  'domain/images/image-header.ts readImageHeader': text => readImageHeader(bytes(text)),
  'domain/images/image-rules.ts parseImagePath': text => parseImagePath(text, text, text),
  'domain/inbound/inbound.ts ownerOf': text => ownerOf([], text, text),
  'domain/registry/template.ts mentions': text => mentions(templateOf(text), text),
  'domain/reports/report-record.ts describeStep': text => describeStep(sms(text)),
  'domain/reports/webhook.ts answerProblem': text => answerProblem('key', 200, text),
  'domain/reports/webhook.ts keptAnswer': text => keptAnswer({ [text]: text }, text, true),
  'domain/request/field-kinds.ts isUnfilled': text => isUnfilled(text, 'template'),
  'domain/request/field-kinds.ts measured': text => measured(text, 'template'),
  'domain/request/field-names.ts singleNames': text => singleNames([sms(text)], text)(0, text),
  'domain/request/field-names.ts flowNames': text =>
    flowNames('messageFlow', [{ sms: { text } }], [sms(text)])(0, text),
  'domain/request/fields.ts memberOf': text =>
    memberOf(Object.fromEntries(words(text).map(word => [word, 1])), text, [text]),
  'domain/request/measures.ts lengthIn': text => [lengthIn('bytes', text), lengthIn('characters', text)],
  'domain/request/omni.ts parseDestination': text =>
    parseDestination({ to: text, replaceWords: { [text]: text } }, 'to'),
  'domain/request/phone-number.ts isSameNumber': text => isSameNumber(text, text),
  'domain/request/phone-number.ts withoutNumber': text => withoutNumber(json([text]), '01012345678'),
  'domain/text/advertisement-mark.ts adFlagProblem': text => adFlagProblem('N', [text], false),
  'domain/text/advertisement-mark.ts textMarkProblem': text => textMarkProblem(text, true),
  'domain/text/substitution.ts shownStep': text => shownStep({ text }, { a: 'word' }),
  'domain/channels/rcs/actions.ts actionProblem': text =>
    actionProblem({ urlAction: { openUrl: { url: text } } }, 'final', 'action'),
  'domain/delivery/step-in-flow.ts stepInFlow': text =>
    stepInFlow([sms(text.replaceAll('#{', ''))], 0, { a: 'word' }),
  'domain/text/characters.ts countSaid': text => countSaid(100, text, text),
  'domain/text/characters.ts fitsCharacters': text => fitsCharacters(text, text.length - 1),
  'domain/text/substitution.ts parseWords': text =>
    parseWords({ [text]: text.slice(0, 2000) }, 'replaceWords'),
  'domain/text/substitution.ts substitute': text => substitute({ text }, { a: 'word' }),
  'domain/text/substitution.ts withEachWord': text => withEachWord({ text }, 'word'),
  'domain/text/substitution.ts renderStep': text =>
    renderStep({ text: text.replaceAll('#{', '') }, { a: 'word' }),
  'domain/text/template-match.ts templateCanMatch': text => templateCanMatch(text, text),
  'domain/text/template-match.ts templateMatches': text => templateMatches(text, text),
  'http/json-body.ts parseJson': text => parseJson('application/json', bytes(json(text))),
  'http/json-budget.ts jsonBudgetProblem': text => jsonBudgetProblem(bytes(text)),
  'http/language.ts inKorean': text =>
    inKorean(json({ result: text.slice(0, 8000), why: `"${text}" must be ${text}` })),
  'http/operator/list-query.ts parseText': text => parseText({ account: text }, 'account'),
  'http/front/plain-request.ts plainReaders': text =>
    plainReaders([text])()(bytes(`POST /${text} HTTP/1.1\r\n\r\n`)),
  'platform/cp949.ts encodeCp949': text => encodeCp949(table, text, room),
  'platform/csv.ts parseCsv': rowsRead,
  'platform/csv.ts csvRows': rowsRead,
  'platform/csv.ts formatCsvRow': text => formatCsvRow([text, text]),
  'platform/hashing.ts sha256': sha256,
  'platform/hashing.ts hmacSha256': text => hmacSha256(Buffer.alloc(32), text),
  'platform/hashing.ts isSameSecret': text => isSameSecret(text, `${text}a`),
  'platform/retry-after.ts parseRetryAfterMs': text => parseRetryAfterMs(text, 0),
  'platform/standard-webhooks.ts isSignedBy': text =>
    isSignedBy(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      { 'webhook-id': text, 'webhook-timestamp': '0', 'webhook-signature': text },
      bytes(text),
      0,
    ),
  'platform/zoned-time.ts zonedTimeParser': zonedTimeParser('Asia/Seoul'),

  'carriers/http/inbound.ts (compiled reader)': text => inbound([{ id: text, from: text, to: text, text }]),
  'carriers/smpp/receipt.ts readReceipt': text =>
    readReceipt(
      {
        command: 'deliverSm',
        esmClass: 4,
        dataCoding: 0,
        tlvs: [],
        shortMessage: bytes(text),
        source: { number: text },
        destination: { number: text },
      } as never,
      'marked',
    ),
  'domain/account/account-settings.ts parseSettings (lists)': text =>
    parseSettings({
      optOutKeywords: words(text),
      addresses: words(text),
      webhookUrl: text,
      channels: words(text),
    }),
  'domain/korean/korean.ts koreanSentence': koreanSentence,
  'domain/korean/particles.ts particleAfter': text => particleAfter(text, '은(는)'),
  'domain/request/traceparent.ts parseTraceparent': text => parseTraceparent(text),
  'domain/request/traceparent.ts traced': text => traced({}, text),
  'domain/registry/registry-list.ts parseRegistryEntries': text =>
    parseRegistryEntries([{ kind: 'sender', number: text }], entry => entry),
  'domain/registry/registry.ts parseRegistryEntry (kinds)': text => [
    parseRegistryEntry({ kind: 'inboundNumber', number: text, keyword: text, reply: text }),
    parseRegistryEntry({ kind: 'senderNumber', number: text }),
    parseRegistryEntry(templateOf(text)),
  ],
  'domain/registry/template.ts variablesOf': text => variablesOf(templateOf(text)),
  'operate/masking.ts shownInbound': text => shownInbound({ from: text, text } as never, 'masked'),
};

/** As far as it is CSV. */
function rowsRead(text: string) {
  try {
    return parseCsv(text);
  } catch (error) {
    if (error instanceof BrokenCsv) return error;
    throw error;
  }
}

function templateOf(text: string) {
  return { kind: 'alimtalkTemplate', senderKey: 'key', templateCode: text, text, name: text } as never;
}

const OF_OPERATORS = 'made from bongsu.yaml or settings at the start';
const DECLARES = 'declares a field, when the program starts';
const BY_REQUEST = 'measured with whole requests';
const BY_PLATFORM = 'linear work of the platform, over what others measured';
const CHECKED = 'called with what has been read and measured';

/** By reason. */
export const NOT_FED: Readonly<Record<string, readonly string[]>> = {
  [OF_OPERATORS]: [
    'carriers/create-carrier.ts carrierProblems',
    'carriers/http/callback-access.ts compileCallbackAccess',
    'carriers/http/http-carrier.ts createHttpCarrier',
    'carriers/http/http-carrier.ts httpCarrierProblems',
    'carriers/http/inbound.ts compileInbound',
    'carriers/http/media-template.ts compileMedia',
    'carriers/http/outcome.ts compileOutcomes',
    'carriers/http/outcome.ts compileReportCodes',
    'carriers/http/outcome.ts compileFailureCode',
    'carriers/http/outcome.ts compilePointer',
    'carriers/http/provider.ts compileProvider',
    'carriers/http/receipts.ts compileReceipts',
    'carriers/http/request-template.ts requestTemplate',
    'carriers/http/template.ts textTemplate',
    'carriers/http/template.ts structureTemplate',
    'carriers/http/template.ts mapTemplate',
    'carriers/http/template.ts isPlaceholderIn',
    'carriers/omni/options.ts baseOf',
    'domain/delivery/routing.ts alternativesOf',
    'platform/private-files.ts makePrivateFile',
    'platform/private-files.ts keepPrivate',
    'platform/private-files.ts permissionsForOthers',
    'platform/sealing.ts createSealer',
    'platform/sealing.ts sealingKeyOfFile',
    'platform/vault.ts textBytesSql',
    'platform/vault.ts idText',
    'platform/zoned-time.ts calendarOf',
    'platform/zoned-time.ts isTimeZone',
    'platform/zoned-time.ts zonedTimeFormatter',
  ],
  [DECLARES]: [
    'domain/channels/brandmessage-variables.ts variables',
    'domain/channels/messenger-fields.ts address',
    'domain/channels/messenger-fields.ts characters',
    'domain/channels/messenger-fields.ts roomyText',
    'domain/channels/messenger-fields.ts yesOrNo',
    'domain/channels/messenger-fields.ts refine',
    'domain/request/field-kinds.ts orNumber',
    'domain/request/list-fields.ts cursor',
    'domain/images/image-rules.ts imageRule',
    'domain/request/fields.ts alsoNamed',
  ],
  [BY_REQUEST]: [
    'domain/channels/alimtalk.ts parseAlimtalkEntry',
    'domain/channels/brandmessage.ts parseBrandmessageEntry',
    'domain/channels/fallback.ts parseFallback',
    'domain/channels/friendtalk/friendtalk.ts gatherAttachment',
    'domain/channels/friendtalk/friendtalk.ts missingContent',
    'domain/channels/friendtalk/friendtalk.ts parseFriendtalkEntry',
    'domain/channels/mms.ts parseMmsEntry',
    'domain/channels/rcs/content.ts readContent',
    'domain/channels/rcs/rcs.ts parseRcsEntry',
    'domain/request/fields.ts readFields',
    'domain/request/list-fields.ts readQuery',
    'domain/request/measures.ts measureFields',
    'domain/request/message-flow.ts parseMessageFlow',
    'domain/request/message-flow.ts parseFlowEntry',
    'domain/request/omni.ts plainFlow',
    'domain/request/send-fields.ts readSingleSend',
  ],
  [CHECKED]: [
    'carriers/omni/send-request.ts singleFieldsOf',
    'carriers/omni/send-request.ts sendRequest',
    'carriers/smpp/tlv.ts cStringTlv',
    'domain/account/account-settings.ts isQuota',
    'domain/channels/rcs/limits.ts lengthInAllProblem',
    'domain/delivery/advertisement.ts isBarredHour',
    'domain/delivery/step-template.ts templateOf',
    'domain/delivery/step-template.ts differencesFrom',
    'domain/channels/registered-sender.ts senderProblem',
    'domain/channels/registered-sender.ts profileProblem',
    'domain/registry/registered.ts notRegistered',
    'domain/registry/registry-rules.ts wantedEntries',
    'domain/registry/registry-rules.ts registryProblem',
    'domain/registry/registry-rules.ts entriesForCompletion',
    'domain/registry/registry-rules.ts completedStep',
    'domain/registry/template-state.ts stateProblem',
  ],
  [BY_PLATFORM]: [
    'http/envelope.ts sentBody',
    'http/envelope.ts successAnswer',
    'http/envelope.ts problemAnswer',
    'http/envelope.ts sendSuccess',
    'http/envelope.ts sendProblem',
    'platform/cp949.ts decodeCp949',
  ],
};
