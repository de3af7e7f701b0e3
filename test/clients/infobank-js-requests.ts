/** Requests made with the builders of the public JavaScript client: every builder and every member it can set. */
import {
  AlimtalkAttachmentBuilder,
  AlimtalkBuilder,
  AlimtalkItemBuilder,
  AlimtalkItemListBuilder,
  AlimtalkRequestBodyBuilder,
  AlimtalkSummaryBuilder,
  AlimtalkSupplementBuilder,
  BrandMessageBuilder,
  CarouselContentBuilder,
  FallbackBuilder,
  FriendtalkAttachmentBuilder,
  FriendtalkBuilder,
  FriendtalkCarouselBuilder,
  FriendtalkCarouselHeadBuilder,
  FriendtalkCarouselListAttachmentBuilder,
  FriendtalkCarouselListBuilder,
  FriendtalkCarouselTailBuilder,
  FriendtalkCommerceBuilder,
  FriendtalkCouponBuilder,
  FriendtalkItemBuilder,
  FriendtalkItemListBuilder,
  FriendtalkRequestBodyBuilder,
  FriendtalkVideoBuilder,
  InternationalRequestBodyBuilder,
  KakaoButtonBuilder,
  MessageFlowBuilder,
  MMSBuilder,
  MMSRequestBodyBuilder,
  RCSBuilder,
  RCSButtonBuilder,
  RCSContentBuilder,
  RCSRequestBodyBuilder,
  type Send,
  SMSBuilder,
  SMSRequestBodyBuilder,
  StandaloneContentBuilder,
  SubContentBuilder,
  TemplateContentBuilder,
} from '@infobank/infobank-omni-sdk-js';

export const FROM = '0316281500';
export const TO = '01012341234';

export type Accepted = Awaited<ReturnType<Send['SMS']>>;

const button = new RCSButtonBuilder();
const RCS_BUTTONS = {
  URL: button.createURLButton().setName('Open').setUrl('https://example.com').build(),
  MAP_LOC: button
    .createMapLocButton()
    .setName('Map')
    .setLabel('City hall')
    .setLatitude('37.5663')
    .setLongitude('126.9779')
    .setFallbackUrl('https://map.example.com')
    .build(),
  MAP_QRY: button
    .createMapQryButton()
    .setName('Search')
    .setQuery('City hall')
    .setFallbackUrl('https://map.example.com')
    .build(),
  MAP_SEND: button.createMapSendButton().setName('Where am I').build(),
  CALENDAR: button
    .createCalendarButton()
    .setName('Note')
    .setStartTime('2026-03-02T09:30:00+09:00')
    .setEndTime('2026-03-02T10:30:00+09:00')
    .setTitle('Meeting')
    .setDescription('Room 1')
    .build(),
  COPY: button.createCopyButton().setName('Copy').setText('1234').build(),
  COM_T: button.createComTButton().setName('Chat').setPhoneNumber('01012341234').setText('hello').build(),
  COM_V: button.createComVButton().setName('Video').setPhoneNumber('01012341234').build(),
  DIAL: button.createDialButton().setName('Call').setPhoneNumber('01012341234').build(),
};

export const fallback = new FallbackBuilder()
  .setType('MMS')
  .setFrom(FROM)
  .setText('대체 발송입니다.')
  .setTitle('제목')
  .setFileKey(['file-key'])
  .setOriginCID('123456789')
  .build();

export function rcs(formatId: string): RCSRequestBodyBuilder {
  return new RCSRequestBodyBuilder()
    .setFrom(FROM)
    .setTo(TO)
    .setFormatId(formatId)
    .setBrandKey('brand-key')
    .setRef('rcs');
}

function rcsCard(title: string) {
  return new CarouselContentBuilder()
    .setTitle(title)
    .setText('카드 내용')
    .setMedia('maapfile://image')
    .setMediaUrl('https://example.com')
    .setButton([RCS_BUTTONS.URL, RCS_BUTTONS.DIAL])
    .build();
}

const subContent = new SubContentBuilder()
  .setSubTitle('부제목')
  .setSubDesc('설명')
  .setSubMedia('maapfile://detail')
  .setSubMediaUrl('https://example.com')
  .build();

function webLink(name: string) {
  return new KakaoButtonBuilder()
    .setType('WL')
    .setName(name)
    .setUrlMobile('https://m.example.com')
    .setUrlPc('https://example.com')
    .setTarget('out')
    .build();
}

const appLink = new KakaoButtonBuilder()
  .setType('AL')
  .setName('앱 열기')
  .setSchemeIos('app://ios')
  .setSchemeAndroid('app://android')
  .build();

interface SendCase {
  /** What a network says of words in the place of files and formats; 10000 if it is left out. */
  readonly reportCode?: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly ref?: string;
  readonly send: (send: Send) => Promise<Accepted>;
}

const RCS_BUTTON_SENDS = Object.entries(RCS_BUTTONS).map(([type, rcsButton]): [string, SendCase] => {
  const standalone = new StandaloneContentBuilder().setText('내용').setButton([rcsButton]).build();
  const content = new RCSContentBuilder().setStandaloneContent(standalone).build();
  const request = rcs('SL000000').setContent(content).build();
  const send = (api: Send) => api.RCS(request);
  return [`an RCS message with a ${type} button`, { serviceType: 'RCS', msgType: 'RL', ref: 'rcs', send }];
});

export const SINGLE_SENDS: Readonly<Record<string, SendCase>> = {
  'an SMS by the builder': {
    serviceType: 'SMS',
    msgType: 'SM',
    ref: 'sms',
    send: send =>
      send.SMS(
        new SMSRequestBodyBuilder()
          .setTo(TO)
          .setFrom(FROM)
          .setText('테스트 발송입니다.')
          .setRef('sms')
          .setOriginCID('1234')
          .build(),
      ),
  },
  'an SMS as JSON': {
    serviceType: 'SMS',
    msgType: 'SM',
    send: send => send.SMS({ from: '0310000000', to: TO, text: 'test 발송입니다.' }),
  },
  'an LMS': {
    serviceType: 'MMS',
    msgType: 'LM',
    send: send =>
      send.MMS(new MMSRequestBodyBuilder().setFrom(FROM).setTo(TO).setText('긴 글'.repeat(100)).build()),
  },
  'an MMS': {
    reportCode: '23034',
    serviceType: 'MMS',
    msgType: 'MM',
    ref: 'mms',
    send: send =>
      send.MMS(
        new MMSRequestBodyBuilder()
          .setFrom(FROM)
          .setTo(TO)
          .setTitle('제목')
          .setText('내용')
          .setFileKey(['one', 'two', 'three'])
          .setRef('mms')
          .setOriginCID('1234')
          .build(),
      ),
  },
  'an international message': {
    serviceType: 'INTERNATIONAL',
    msgType: 'IM',
    ref: 'abroad',
    send: send =>
      send.International(
        new InternationalRequestBodyBuilder()
          .setFrom(FROM)
          .setTo('+14155550123')
          .setText('hello')
          .setRef('abroad')
          .build(),
      ),
  },
  'an RCS message of text': {
    serviceType: 'RCS',
    msgType: 'RS',
    ref: 'rcs',
    send: send => {
      const standalone = new StandaloneContentBuilder().setText('내용').setButton([RCS_BUTTONS.COPY]).build();
      const content = new RCSContentBuilder().setStandaloneContent(standalone).build();
      return send.RCS(
        rcs('SS000000')
          .setContent(content)
          .setBrandId('brand-id')
          .setExpiryOption('2')
          .setHeader('1')
          .setFooter('080-1234-5678')
          .setFallback(fallback)
          .build(),
      );
    },
  },
  'an RCS standalone message with image and sub-info': {
    reportCode: '33120',
    serviceType: 'RCS',
    msgType: 'RM',
    ref: 'rcs',
    send: send => {
      const standalone = new StandaloneContentBuilder()
        .setTitle('제목')
        .setText('내용')
        .setMedia('maapfile://image')
        .setMediaUrl('\\')
        .setButton([RCS_BUTTONS.URL])
        .setSubContent([subContent])
        .build();
      const content = new RCSContentBuilder().setStandaloneContent(standalone).build();
      return send.RCS(rcs('OMTBNV0001').setContent(content).build());
    },
  },
  'an RCS carousel': {
    reportCode: '33120',
    serviceType: 'RCS',
    msgType: 'RM',
    ref: 'rcs',
    send: send => {
      const content = new RCSContentBuilder().setCarouselContent([rcsCard('하나'), rcsCard('둘')]).build();
      return send.RCS(rcs('CMwMhM0200').setContent(content).build());
    },
  },
  'an RCS template with keys of its own': {
    reportCode: '33121',
    serviceType: 'RCS',
    msgType: 'RF',
    ref: 'rcs',
    send: send => {
      const template = new TemplateContentBuilder()
        .setTitle('제목')
        .setDescription('내용')
        .setSubContent([subContent])
        .setCustomField('orderNo', '1234')
        .build();
      const content = new RCSContentBuilder().setTemplateContent(template).build();
      return send.RCS(rcs('UBR.abcdefgh').setContent(content).build());
    },
  },
  'an RCS message by body and buttons': {
    serviceType: 'RCS',
    msgType: 'RL',
    ref: 'rcs',
    send: send =>
      send.RCS(
        rcs('SL000000')
          .setBody({ title: '제목', description: '내용' })
          .setButtons([
            {
              suggestions: [
                {
                  action: {
                    urlAction: { openUrl: { url: 'https://example.com' } },
                    displayText: 'Open',
                    postback: { data: 'set_by_chatbot_open_url' },
                  },
                },
              ],
            },
          ])
          .build(),
      ),
  },
  'an alimtalk': {
    serviceType: 'ALIMTALK',
    msgType: 'AT',
    ref: 'alimtalk',
    send: send =>
      send.Alimtalk(
        new AlimtalkRequestBodyBuilder()
          .setSenderKey('sender-key')
          .setMsgType('AT')
          .setTo(TO)
          .setTemplateCode('template-code')
          .setText('[테스트] \n알림톡 내용')
          .setButton([webLink('보기'), appLink])
          .setRef('alimtalk')
          .setFallback(fallback)
          .build(),
      ),
  },
  'a friendtalk': {
    serviceType: 'FRIENDTALK',
    msgType: 'FI',
    ref: 'friendtalk',
    send: send =>
      send.Friendtalk(
        new FriendtalkRequestBodyBuilder()
          .setSenderKey('sender-key')
          .setMsgType('FI')
          .setTo(TO)
          .setText('친구톡 내용')
          .setImgUrl('https://example.com/image.jpg')
          .setButton([webLink('보기')])
          .setRef('friendtalk')
          .setFallback(fallback)
          .build(),
      ),
  },
  // The type asks for every member, also those that do not apply.
  'a brand message with every member of its type': {
    serviceType: 'BRANDMESSAGE',
    msgType: 'FT',
    ref: 'brand',
    send: send =>
      send.BrandMessage({
        senderKey: 'sender-key',
        sendType: 'basic',
        msgType: 'FT',
        to: TO,
        text: '브랜드 메시지',
        imgUrl: '',
        targeting: 'M',
        button: [webLink('보기')],
        fallback,
        templateCode: 'template-code',
        groupTagKey: '',
        adult: 'N',
        pushAlarm: 'Y',
        messageVariable: { name: '홍길동' },
        buttonVariable: { link: 'https://example.com' },
        couponVariable: {},
        imageVariable: {},
        videoVariable: {},
        commerceVariable: {},
        carouselVariable: {},
        originCID: '123456789',
        unsubscribePhoneNumber: '080-1234-5678',
        unsubscribeAuthNumber: '1234',
        ref: 'brand',
      }),
  },
  ...Object.fromEntries(RCS_BUTTON_SENDS),
};

export const smsEntry = new SMSBuilder()
  .setFrom(FROM)
  .setText('#{name}님, 안녕하세요')
  .setTtl('86400')
  .build();
export const mmsEntry = new MMSBuilder()
  .setFrom(FROM)
  .setTitle('제목')
  .setText('#{name}님')
  .setFileKey(['file-key'])
  .setTtl('86400')
  .setOriginCID('1234')
  .build();
export const rcsEntry = new RCSBuilder()
  .setFrom(FROM)
  .setFormatId('SS000000')
  .setContent(
    new RCSContentBuilder()
      .setStandaloneContent(new StandaloneContentBuilder().setText('#{name}님').build())
      .build(),
  )
  .setBrandKey('brand-key')
  .setBrandId('brand-id')
  .setGroupId('group')
  .setExpiryOption('1')
  .setCopyAllowed('1')
  .setHeader('0')
  .setFooter('080-1234-5678')
  .setAgencyId('infobank')
  .setAgencyKey('agency-key')
  .setTtl('86400')
  .build();
export const alimtalkEntry = new AlimtalkBuilder()
  .setSenderKey('sender-key')
  .setMsgType('AT')
  .setTemplateCode('template-code')
  .setText('[테스트] \n#{name}님')
  .setTitle('제목')
  .setAttachment(
    new AlimtalkAttachmentBuilder()
      .setButton([webLink('보기')])
      .setItem(
        new AlimtalkItemBuilder()
          .setList([
            new AlimtalkItemListBuilder().setTitle('상품').setDescription('사과').build(),
            new AlimtalkItemListBuilder().setTitle('수량').setDescription('2').build(),
          ])
          .setSummary(new AlimtalkSummaryBuilder().setTitle('합계').setDescription('2,000원').build())
          .build(),
      )
      .setItemHighlight({ title: '주문', description: '완료' })
      .build(),
  )
  .setSupplement(
    new AlimtalkSupplementBuilder()
      .setQuickReply([
        { name: '웹', type: 'WL', urlPC: 'https://example.com', urlMobile: 'https://m.example.com' },
        { name: '앱', type: 'AL', schemeIOS: 'app://ios', schemeAndroid: 'app://android' },
        { name: '상담', type: 'BC', chatExtra: 'extra' },
        { name: '봇', type: 'BT', chatExtra: 'extra', chatEvent: 'event' },
        { name: '폼', type: 'BF', bizFormId: '1234' },
      ])
      .build(),
  )
  .setPrice('2000')
  .setCurrencyType('KRW')
  .build();

const image = { imgUrl: 'https://example.com/image.jpg', imgLink: 'https://example.com' };
const commerce = new FriendtalkCommerceBuilder()
  .setTitle('상품')
  .setRegularPrice(2000)
  .setDiscountPrice(1000)
  .setDiscountRate(50)
  .build();
const coupon = new FriendtalkCouponBuilder()
  .setTitle('10% 할인 쿠폰')
  .setDescription('오늘만')
  .setUrlMobile('https://m.example.com')
  .setUrlPc('https://example.com')
  .build();

function friendtalk(msgType: string): FriendtalkBuilder {
  return new FriendtalkBuilder()
    .setSenderKey('sender-key')
    .setMsgType(msgType)
    .setText('친구톡')
    .setAdFlag('Y')
    .setAdult('N')
    .setPushAlarm('Y')
    .setGroupTagKey('group-tag');
}

function attached(): FriendtalkAttachmentBuilder {
  return new FriendtalkAttachmentBuilder().setButton([webLink('보기')]);
}

const itemOfList = new FriendtalkItemListBuilder()
  .setTitle('항목')
  .setImgUrl(image.imgUrl)
  .setUrlMobile('https://m.example.com')
  .setUrlPc('https://example.com')
  .build();
const carouselTail = new FriendtalkCarouselTailBuilder()
  .setUrlPc('https://example.com')
  .setUrlMobile('https://m.example.com')
  .build();
const feedCard = new FriendtalkCarouselListBuilder()
  .setHeader('카드')
  .setMessage('내용')
  .setAttachment(
    new FriendtalkCarouselListAttachmentBuilder()
      .setImage(image)
      .setButton([webLink('보기')])
      .setCoupon(coupon)
      .build(),
  )
  .build();
const commerceCard = new FriendtalkCarouselListBuilder()
  .setAdditionalContent('덧붙임')
  .setAttachment(
    new FriendtalkCarouselListAttachmentBuilder()
      .setImage(image)
      .setButton([webLink('보기')])
      .setCommerce(commerce)
      .build(),
  )
  .build();

export const FRIENDTALKS = [
  friendtalk('FT').setAttachment(attached().setCoupon(coupon).build()).build(),
  friendtalk('FI').setAttachment(attached().setImage(image).build()).build(),
  friendtalk('FW').setAttachment(attached().setImage(image).build()).build(),
  friendtalk('FL')
    .setHeader('머리말')
    .setAttachment(
      attached()
        .setItem(new FriendtalkItemBuilder().setList([itemOfList, itemOfList, itemOfList]).build())
        .build(),
    )
    .build(),
  friendtalk('FC')
    .setCarousel(new FriendtalkCarouselBuilder().setList([feedCard, feedCard]).setTail(carouselTail).build())
    .build(),
  friendtalk('FM')
    .setAdditionalContent('덧붙임')
    .setAttachment(attached().setImage(image).setCommerce(commerce).build())
    .build(),
  friendtalk('FA')
    .setCarousel(
      new FriendtalkCarouselBuilder()
        .setHead(
          new FriendtalkCarouselHeadBuilder()
            .setHeader('머리말')
            .setContent('내용')
            .setImageUrl(image.imgUrl)
            .setUrlMobile('https://m.example.com')
            .build(),
        )
        .setList([commerceCard, commerceCard])
        .setTail(carouselTail)
        .build(),
    )
    .build(),
  friendtalk('FP')
    .setAttachment(
      attached()
        .setVideo(
          new FriendtalkVideoBuilder()
            .setVideoUrl('https://tv.example.com/v/1')
            .setThumbnailUrl(image.imgUrl)
            .build(),
        )
        .build(),
    )
    .build(),
];

const brandmessageEntry = new BrandMessageBuilder()
  .setSenderKey('sender-key')
  .setSendType('free')
  .setMsgType('FI')
  .setText('브랜드 메시지')
  .setAttachment(attached().setImage(image).build())
  .setTargeting('I')
  .setAddtionalContent('덧붙임')
  .setGroupTagKey('group-tag')
  .setAdult('N')
  .setPushAlarm('Y')
  .setAdFlag('Y')
  .setOriginCID('123456789')
  .setUnsubscribePhoneNumber('080-1234-5678')
  .setUnsubscribeAuthNumber('1234')
  .build();

export const FLOWS = {
  sms: new MessageFlowBuilder().setSMS(smsEntry).build(),
  mms: new MessageFlowBuilder().setMMS(mmsEntry).build(),
  rcs: new MessageFlowBuilder().setRCS(rcsEntry).setSMS(smsEntry).build(),
  alimtalk: new MessageFlowBuilder().setAlimtalk(alimtalkEntry).setMMS(mmsEntry).build(),
  ...Object.fromEntries(
    FRIENDTALKS.map(entry => [
      `friendtalk ${entry.msgType}`,
      new MessageFlowBuilder().setFriendtalk(entry).build(),
    ]),
  ),
  brandmessage: [{ brandmessage: brandmessageEntry }, { sms: smsEntry }],
};
