/** An example message for each channel, in the language of the console. For the sandbox, where nobody receives it. */
import type { Channel } from '../gateway/steps.ts';
import type { Language } from '../words/words.tsx';
import type { Entry } from './entry.ts';

const TEXTS = {
  en: {
    short: 'Your parcel is on its way and arrives today between 14:00 and 16:00.',
    title: 'Your parcel is on its way',
    long: 'Hello! Your order 2026-1115-0042 has left our warehouse.\n\nIt arrives today between 14:00 and 16:00. Leave a note for the driver with the button below.',
    button: 'Track parcel',
    header: 'Delivery',
    items: [
      { title: 'Order', description: '2026-1115-0042' },
      { title: 'Item', description: 'Ceramic lamp, white' },
    ],
    summary: { title: 'Total', description: '39,000 won' },
    ad: 'This week only: 20% off all lamps. Come and see the new collection.',
  },
  ko: {
    short: '주문하신 상품이 오늘 오후 2시에서 4시 사이에 도착합니다.',
    title: '상품이 출발했습니다',
    long: '안녕하세요, 고객님.\n주문번호 2026-1115-0042 상품이 물류센터에서 출발했습니다.\n\n오늘 오후 2시에서 4시 사이에 도착할 예정입니다.',
    button: '배송 조회',
    header: '배송 안내',
    items: [
      { title: '주문번호', description: '2026-1115-0042' },
      { title: '상품', description: '도자기 조명 화이트' },
    ],
    summary: { title: '결제금액', description: '39,000원' },
    ad: '이번 주 단 한 번, 조명 전 품목 20% 할인! 새로운 컬렉션을 만나보세요.',
  },
} as const;

const FROM = '0212345678';
const URL = 'https://example.com/track';

/** A new step: an example in the sandbox, otherwise only the required fields. */
export function newEntry(channel: Channel, language: Language, isSandbox: boolean): Entry {
  return isSandbox ? exampleEntry(channel, language) : blankEntry(channel);
}

function exampleEntry(channel: Channel, language: Language): Entry {
  const t = TEXTS[language];
  switch (channel) {
    case 'sms':
    case 'international':
      return { from: FROM, text: t.short };
    case 'mms':
      return { from: FROM, title: t.title, text: t.long };
    case 'rcs':
      return {
        from: FROM,
        brandKey: 'BR.bongsu',
        formatId: 'SL000000',
        content: {
          standalone: {
            title: t.title,
            text: t.long,
            button: [{ type: 'URL', name: t.button, url: URL }],
          },
        },
      };
    case 'alimtalk':
      return {
        senderKey: 'bongsu-store',
        templateCode: 'delivery-01',
        msgType: 'AT',
        header: t.header,
        title: t.title,
        text: t.long,
        attachment: {
          button: [{ type: 'WL', name: t.button, urlMobile: URL }],
          item: { list: t.items, summary: t.summary },
        },
      };
    case 'friendtalk':
      return {
        senderKey: 'bongsu-store',
        msgType: 'FT',
        text: t.ad,
        attachment: { button: [{ type: 'WL', name: t.button, urlMobile: URL }] },
      };
    case 'brandmessage':
      return {
        senderKey: 'bongsu-store',
        sendType: 'free',
        targeting: 'I',
        msgType: 'FT',
        text: t.ad,
        attachment: { button: [{ type: 'WL', name: t.button, urlMobile: URL }] },
      };
  }
}

function blankEntry(channel: Channel): Entry {
  switch (channel) {
    case 'sms':
    case 'mms':
    case 'international':
      return {};
    case 'rcs':
      return { formatId: 'SS000000', content: { standalone: {} } };
    case 'alimtalk':
      return { msgType: 'AT' };
    case 'friendtalk':
      return { msgType: 'FT' };
    case 'brandmessage':
      return { sendType: 'free', targeting: 'I', msgType: 'FT' };
  }
}
