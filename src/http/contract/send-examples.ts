/** Requests as a shop would send them. A test sends each to a running gateway and gets A000. */

import type { SendKind } from '../../domain/request/send-kinds.ts';

const SENDER = '0212345678';
const RECIPIENT = '01012345678';
const SENDER_KEY = '4f1d7c0a9b2e4d6f8a1c3e5b7d9f0a2c';
const BRAND_KEY = 'BR.a1B2c3D4e5';
const IMAGE_URL = 'https://files.example.com/spring-sale.jpg';
const SHOP_URL = 'https://shop.example.com/orders/1042';

const RCS_IMAGE = 'maapfile://06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF02';

const SHOP_BUTTON = { type: 'WL', name: '주문 보기', urlMobile: SHOP_URL, urlPc: SHOP_URL };

const ALIMTALK = {
  senderKey: SENDER_KEY,
  msgType: 'AT',
  templateCode: 'order_shipped',
  text: '홍길동님, 주문하신 상품이 출발했습니다.',
} as const;

export const SEND_EXAMPLES = {
  sms: {
    text: { from: SENDER, to: RECIPIENT, text: '주문하신 상품이 출발했습니다.', ref: 'order-1042' },
    'unknown subscriber, in the sandbox': { from: SENDER, to: '01012340001', text: 'Hello from the sandbox' },
  },
  mms: {
    'long text': {
      from: SENDER,
      to: RECIPIENT,
      title: '배송 안내',
      text: '주문하신 상품이 출발했습니다. 오늘 오후 6시 전에 도착합니다.',
      ref: 'order-1042',
    },
    'with an image': {
      from: SENDER,
      to: RECIPIENT,
      title: '봄 세일',
      text: '봄 세일이 시작되었습니다.',
      fileKey: ['06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF02'],
    },
  },
  international: {
    text: { from: SENDER, to: '+14155550123', text: 'Your order has left our warehouse.', ref: 'order-1042' },
  },
  rcs: {
    'one card, SMS as fallback': {
      from: SENDER,
      to: RECIPIENT,
      formatId: 'SL000000',
      brandKey: BRAND_KEY,
      content: {
        standalone: {
          title: '배송 안내',
          text: '주문하신 상품이 출발했습니다.',
          button: [{ type: 'URL', name: '배송 조회', url: SHOP_URL }],
        },
      },
      fallback: { type: 'SMS', text: '주문하신 상품이 출발했습니다.' },
      ref: 'order-1042',
    },
    'carousel of two cards': {
      from: SENDER,
      to: RECIPIENT,
      formatId: 'CMwMhM0200',
      brandKey: BRAND_KEY,
      header: '1',
      footer: '080-123-4567',
      content: {
        carousel: [
          {
            title: '봄 세일',
            text: '모든 상품이 20% 할인됩니다.',
            media: RCS_IMAGE,
            mediaUrl: SHOP_URL,
            button: [{ type: 'URL', name: '보기', url: SHOP_URL }],
          },
          {
            title: '매장 안내',
            text: '시청역 3번 출구',
            media: RCS_IMAGE,
            button: [{ type: 'DIAL', name: '전화', phoneNumber: '15880000' }],
          },
        ],
      },
    },
    'issued template': {
      from: SENDER,
      to: RECIPIENT,
      formatId: 'UBR.a1B2c3D4e5-GG000F',
      brandKey: BRAND_KEY,
      content: { template: { description: '홍길동님, 주문하신 상품이 출발했습니다.' } },
    },
    'expert style': {
      from: SENDER,
      to: RECIPIENT,
      formatId: 'SS000000',
      brandKey: BRAND_KEY,
      body: { description: '주문하신 상품이 출발했습니다.' },
      buttons: [
        {
          suggestions: [{ action: { urlAction: { openUrl: { url: SHOP_URL } }, displayText: '배송 조회' } }],
        },
      ],
    },
  },
  alimtalk: {
    'template with a button': {
      ...ALIMTALK,
      to: RECIPIENT,
      button: [SHOP_BUTTON],
      ref: 'order-1042',
      fallback: { type: 'SMS', from: SENDER, text: '주문하신 상품이 출발했습니다.' },
    },
  },
  friendtalk: {
    text: {
      senderKey: SENDER_KEY,
      msgType: 'FT',
      to: RECIPIENT,
      text: '(광고) 봄 세일이 시작되었습니다.',
      button: [SHOP_BUTTON],
      ref: 'spring-sale',
    },
    image: {
      senderKey: SENDER_KEY,
      msgType: 'FI',
      to: RECIPIENT,
      text: '(광고) 봄 세일이 시작되었습니다.',
      imgUrl: IMAGE_URL,
    },
    'carousel of two cards': {
      senderKey: SENDER_KEY,
      msgType: 'FC',
      to: RECIPIENT,
      carousel: {
        list: ['모든 상품이 20% 할인됩니다.', '오늘만 무료 배송입니다.'].map(message => ({
          header: '봄 세일',
          message,
          attachment: { image: { imgUrl: IMAGE_URL, imgLink: SHOP_URL }, button: [SHOP_BUTTON] },
        })),
        tail: { urlMobile: SHOP_URL, urlPc: SHOP_URL },
      },
    },
  },
  brandmessage: {
    free: {
      senderKey: SENDER_KEY,
      sendType: 'free',
      msgType: 'FT',
      targeting: 'M',
      to: RECIPIENT,
      text: '봄 세일이 시작되었습니다.',
      ref: 'spring-sale',
    },
    basic: {
      senderKey: SENDER_KEY,
      sendType: 'basic',
      msgType: 'FT',
      targeting: 'M',
      templateCode: 'spring_sale',
      messageVariable: { name: '홍길동' },
      to: RECIPIENT,
    },
  },
  omni: {
    'RCS, then alimtalk, then SMS': {
      destinations: [
        { to: RECIPIENT, replaceWords: { name: '홍길동' } },
        { to: '01098765432', replaceWords: { name: '김영희' } },
      ],
      messageFlow: [
        {
          rcs: {
            from: SENDER,
            formatId: 'SS000000',
            brandKey: BRAND_KEY,
            content: { standalone: { text: '#{name}님, 주문하신 상품이 출발했습니다.' } },
          },
        },
        { alimtalk: { ...ALIMTALK, text: '#{name}님, 주문하신 상품이 출발했습니다.' } },
        { sms: { from: SENDER, text: '#{name}님, 상품이 출발했습니다.' } },
      ],
      ref: 'order-1042',
    },
  },
} as const satisfies Record<SendKind, object>;
