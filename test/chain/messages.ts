/** What clients of the edge send: every channel, files, combined sends, and fallbacks that are needed. */
import type { SeededRandom } from '../simulation/seeded-random.ts';
import type { Recipients } from './recipients.ts';

/** The names of uploaded files, as each channel wants them. */
export interface UploadedFiles {
  readonly fileKey: string;
  readonly media: string;
  readonly imgUrl: string;
}

export interface Order {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly recipients: readonly string[];
  /** Service types of its steps. */
  readonly flow: readonly string[];
}

interface Tools {
  readonly random: SeededRandom;
  readonly recipients: Recipients;
  readonly files: UploadedFiles;
}

type Maker = (tools: Tools) => Order;

const FROM = '0212345678';
const SMS = { from: FROM, text: '[봉수] 인증번호 482913' };
const ALIMTALK = {
  senderKey: 'sender-key',
  msgType: 'AT',
  templateCode: 'order-1',
  text: '주문이 접수되었습니다.',
};
const RCS = {
  from: FROM,
  formatId: 'SS000000',
  brandKey: 'brand-key',
  content: { standalone: { text: '내용' } },
};
const FALLBACK = { type: 'SMS', from: FROM, text: '대체 발송입니다.' };
const MOST_DESTINATIONS = 10;

const MAKERS: Readonly<Record<string, Maker>> = {
  sms: ({ recipients, random }) => {
    const fate = random.weighted({ none: 90, '0001': 4, '0007': 3, '0008': 3 });
    return single('sms', recipients.domestic(fate === 'none' ? undefined : fate), SMS, ['SMS']);
  },
  'sms put off': ({ recipients }) => single('sms', recipients.domestic('0005'), SMS, ['SMS']),
  lms: ({ recipients }) =>
    single('mms', recipients.domestic(), { from: FROM, title: '제목', text: '긴 글 '.repeat(40) }, ['MMS']),
  mms: ({ recipients, files }) =>
    single('mms', recipients.domestic(), { from: FROM, text: '사진', fileKey: [files.fileKey] }, ['MMS']),
  international: ({ recipients, random }) => {
    const fate = random.chance(0.1) ? '0001' : undefined;
    const text = random.chance(0.5) ? 'hello' : 'A text of several parts. '.repeat(9);
    return single('international', recipients.abroad(fate), { from: FROM, text }, ['INTERNATIONAL']);
  },
  rcs: ({ recipients, files }) => {
    const content = { standalone: { title: '제목', text: '내용', media: files.media } };
    return single('rcs', recipients.domestic(), { ...RCS, formatId: 'SMwThM00', content }, ['RCS']);
  },
  alimtalk: ({ recipients, random }) => {
    const fate = random.chance(0.1) ? '0001' : undefined;
    return single('alimtalk', recipients.domestic(fate), ALIMTALK, ['ALIMTALK']);
  },
  friendtalk: ({ recipients, files }) => {
    const message = { senderKey: 'sender-key', msgType: 'FI', text: '친구톡', imgUrl: files.imgUrl };
    return single('friendtalk', recipients.domestic(), message, ['FRIENDTALK']);
  },
  brandmessage: ({ recipients, random }) => {
    const message = {
      senderKey: 'sender-key',
      sendType: 'basic',
      msgType: 'FT',
      text: '브랜드 메시지',
      templateCode: 'brand-1',
      targeting: 'M',
    };
    const fate = random.chance(0.2) ? '0004' : undefined;
    return single('brandmessage', recipients.domestic(fate), message, ['BRANDMESSAGE']);
  },
  'rcs, then sms': ({ recipients }) =>
    single('rcs', recipients.domestic('0002'), { ...RCS, fallback: FALLBACK }, ['RCS', 'SMS']),
  'alimtalk, then sms': ({ recipients }) =>
    single('alimtalk', recipients.domestic('0003'), { ...ALIMTALK, fallback: FALLBACK }, ['ALIMTALK', 'SMS']),
  'one text to many': ({ recipients, random }) =>
    combined(
      [{ sms: { ...SMS, text: '#{name}님, 안녕하세요' } }],
      Array.from({ length: random.between(2, MOST_DESTINATIONS) }, () => recipients.domestic()),
      ['SMS'],
    ),
  'a flow of three': ({ recipients }) =>
    combined(
      [{ rcs: RCS }, { alimtalk: ALIMTALK }, { sms: SMS }],
      [recipients.domestic(), recipients.domestic('0001'), recipients.domestic('0002')],
      ['RCS', 'ALIMTALK', 'SMS'],
    ),
};

const WEIGHTS: Readonly<Record<string, number>> = { sms: 8, 'one text to many': 3, 'sms put off': 0.2 };

export function nextOrder(tools: Tools): Order {
  const weights = Object.fromEntries(Object.keys(MAKERS).map(kind => [kind, WEIGHTS[kind] ?? 1]));
  const make = MAKERS[tools.random.weighted(weights)];
  if (!make) throw new Error('no such kind of message');
  return make(tools);
}

function single(
  channel: string,
  to: string,
  message: Readonly<Record<string, unknown>>,
  flow: readonly string[],
): Order {
  return { path: `/v1/send/${channel}`, body: { to, ...message }, recipients: [to], flow };
}

function combined(messageFlow: readonly unknown[], to: readonly string[], flow: readonly string[]): Order {
  const destinations = to.map(number => ({ to: number, replaceWords: { name: '홍길동' } }));
  return { path: '/v1/send/omni', body: { destinations, messageFlow }, recipients: to, flow };
}
