/** Bodies as the public clients write them, with their spellings, nulls, blanks and zeros. */

interface Single {
  readonly channel: string;
  /** What a network says of words in the place of files and formats; 10000 if it is left out. */
  readonly reportCode?: string;
  readonly body: object;
}

const FROM = '0316281500';
const TO = '01012341234';

export const TEXT_BODIES: Readonly<Record<string, Single>> = {
  'Go, null for what is not set': {
    channel: 'sms',
    body: { from: FROM, to: TO, text: 'hello', ref: null, originCID: null },
  },
  'Python, an empty ref': { channel: 'sms', body: { from: FROM, to: TO, text: 'hello', ref: '' } },
  'Java, a list of no files': {
    channel: 'mms',
    body: { from: FROM, to: TO, text: 'hello', title: null, fileKey: [], ref: null, originCID: null },
  },
  'Go, null for what is not set in an MMS': {
    channel: 'mms',
    body: { from: FROM, to: TO, text: 'hello', title: null, fileKey: null, ref: null },
  },
  'Go, the members of an SMS': {
    channel: 'international',
    body: { from: FROM, to: '+14155550123', text: 'hello', ref: null, originCID: '123456789' },
  },
};

function rcs(content: object): Record<string, unknown> {
  return { content, from: FROM, to: TO, formatId: 'OMTBNV0001', brandKey: 'brand-key' };
}

export const RCS_BODIES: Readonly<Record<string, Single>> = {
  'C#, members in Pascal case': {
    reportCode: '33120',
    channel: 'rcs',
    body: rcs({
      standalone: {
        text: 'hello',
        title: 'title',
        media: 'maapfile://image',
        button: [
          {
            type: 'MAP_LOC',
            name: 'Map',
            Label: 'City hall',
            Latitude: '37.5663',
            Longitude: '126.9779',
            FallbackUrl: 'https://map.example.com',
          },
          { type: 'COM_T', name: 'Chat', PhoneNumber: '01012341234', Text: 'hello' },
        ],
        subContent: [
          {
            SubTitle: 'sub',
            SubDesc: 'description',
            SubMedia: 'maapfile://detail',
            SubMediaUrl: 'https://example.com',
          },
        ],
      },
    }),
  },
  'C#, a map search and a call in Pascal case': {
    reportCode: '33120',
    channel: 'rcs',
    body: rcs({
      standalone: {
        title: 'title',
        media: 'maapfile://image',
        button: [
          { type: 'MAP_QRY', name: 'Search', Query: 'City hall', FallbackUrl: 'https://map.example.com' },
          { type: 'DIAL', name: 'Call', PhoneNumber: '01012341234' },
        ],
      },
    }),
  },
  'Java, subUrl and a label on a map search': {
    reportCode: '33120',
    channel: 'rcs',
    body: rcs({
      standalone: {
        text: 'hello',
        title: 'title',
        media: 'maapfile://image',
        button: [
          {
            type: 'MAP_QRY',
            name: 'Search',
            label: 'City hall',
            query: 'City hall',
            fallbackUrl: 'https://map.example.com',
          },
        ],
        subContent: [{ subTitle: 'sub', subDesc: 'description', subUrl: 'https://example.com' }],
      },
    }),
  },
  'Go, null for what is not set': {
    channel: 'rcs',
    body: {
      content: {
        standalone: {
          text: 'hello',
          title: null,
          media: null,
          mediaUrl: null,
          button: null,
          subContent: null,
        },
        carousel: null,
        template: null,
      },
      from: FROM,
      to: TO,
      formatId: 'SS000000',
      brandKey: 'brand-key',
      brandId: null,
      expiryOption: null,
      header: null,
      footer: null,
      ref: null,
      fallback: null,
      rcsData: null,
    },
  },
  'Go, a file key on a card': {
    reportCode: '33120',
    channel: 'rcs',
    body: {
      content: {
        carousel: [
          { text: 'one', title: 'one', media: 'maapfile://image', fileKey: 'file-key' },
          { text: 'two', title: 'two', media: 'maapfile://image', fileKey: '' },
        ],
      },
      from: FROM,
      to: TO,
      formatId: 'CMwShS0200',
      brandKey: 'brand-key',
    },
  },
  'Java, a fallback with a sender': {
    channel: 'rcs',
    body: {
      content: { standalone: { text: 'hello' } },
      from: FROM,
      to: TO,
      formatId: 'SS000000',
      brandKey: 'brand-key',
      fallback: { type: 'MMS', from: '0212345678', text: 'hello', fileKey: [], title: null },
    },
  },
};

const LINK = { urlMobile: 'https://m.example.com' };

export const MESSENGER_BODIES: Readonly<Record<string, Single>> = {
  'C#, empty title and header, and the image type misspelt': {
    channel: 'alimtalk',
    body: {
      senderKey: 'key',
      msgType: 'AL',
      to: TO,
      templateCode: 'code',
      text: 'hello',
      title: '',
      header: '',
      link: { urlMobile: '', urlPc: '', schemeIos: '', schemeAndroid: '' },
      button: [],
      ref: '',
    },
  },
  'Go, null for what is not set': {
    channel: 'alimtalk',
    body: {
      senderKey: 'key',
      msgType: 'AT',
      to: TO,
      templateCode: 'code',
      text: 'hello',
      button: null,
      link: null,
      ref: null,
      fallback: null,
    },
  },
  'Go, urlPC and schemeIOS on buttons': {
    channel: 'alimtalk',
    body: {
      senderKey: 'key',
      msgType: 'AT',
      to: TO,
      templateCode: 'code',
      text: 'hello',
      button: [
        { type: 'WL', name: 'Open', urlPC: 'https://example.com', ...LINK, schemeIOS: '', schemeAndroid: '' },
        { type: 'AL', name: 'App', schemeIOS: 'app://ios', schemeAndroid: 'app://android' },
      ],
    },
  },
  'Python, forms and events on consultation buttons': {
    channel: 'alimtalk',
    body: {
      senderKey: 'key',
      msgType: 'AT',
      to: TO,
      templateCode: 'code',
      text: 'hello',
      button: [
        { type: 'BC', name: 'Form', bizFormKey: 'form', bizFormId: '1234' },
        { type: 'BC', name: 'Bot', chatExtra: 'extra', chatEvent: 'event' },
      ],
    },
  },
  'C#, ids that only its button has': {
    channel: 'alimtalk',
    body: {
      senderKey: 'key',
      msgType: 'AT',
      to: TO,
      templateCode: 'code',
      text: 'hello',
      button: [
        { type: 'BF', name: 'Form', bizFormId: 1, pluginId: '', relayId: '', oneclickId: '', productId: '' },
      ],
    },
  },
  'Java, one of the types beyond three': {
    channel: 'friendtalk',
    body: {
      senderKey: 'key',
      msgType: 'FM',
      to: TO,
      text: 'hello',
      attachment: {
        image: { imgUrl: 'https://example.com/image.jpg', imgLink: null },
        commerce: { title: 'goods', regularPrice: 1000, discountPrice: 0, discountRate: 0, discountFixed: 0 },
      },
    },
  },
  'Go, null for what is not set in a friendtalk': {
    channel: 'friendtalk',
    body: {
      senderKey: 'key',
      msgType: 'FT',
      to: TO,
      text: 'hello',
      imgUrl: null,
      button: null,
      fallback: null,
    },
  },
  'Java, adults': {
    channel: 'brandmessage',
    body: {
      senderKey: 'key',
      sendType: 'free',
      msgType: 'FT',
      to: TO,
      text: 'hello',
      targeting: 'I',
      adults: 'N',
      pushAlarm: 'Y',
    },
  },
  'Python, a list of images': {
    channel: 'brandmessage',
    body: {
      senderKey: 'key',
      sendType: 'basic',
      msgType: 'FI',
      to: TO,
      templateCode: 'code',
      targeting: 'M',
      imageVariable: [{ imgUrl: 'https://example.com/image.jpg', imgLink: 'https://example.com' }],
      carouselVariable: { list: [] },
      button: [],
      ref: '',
    },
  },
  'C#, a list of cards in snake case': {
    channel: 'brandmessage',
    body: {
      senderKey: 'key',
      sendType: 'basic',
      msgType: 'FC',
      to: TO,
      templateCode: 'code',
      targeting: 'M',
      adults: '',
      carouselVariable: [{ message_variable: { name: 'somebody' }, image_variable: [] }],
    },
  },
};

/** What the Python client's own tests expect to be accepted. */
export const PYTHON_BODIES: Readonly<Record<string, Single>> = {
  'Python test of an MMS': {
    reportCode: '23034',
    channel: 'mms',
    body: {
      from: FROM,
      to: TO,
      text: 'text',
      title: 'title',
      fileKey: ['fileKey'],
      ref: '',
      originCID: '1234',
    },
  },
  'Python test of a standalone': {
    reportCode: '33121',
    channel: 'rcs',
    body: {
      content: {
        standalone: {
          text: 'text',
          title: 'title',
          media: 'media',
          mediaUrl: 'http://',
          button: [
            { type: 'URL', name: 'name', url: 'http://' },
            {
              type: 'MAP_LOC',
              name: 'name',
              label: 'label',
              latitude: '1',
              longitude: '1',
              fallbackUrl: 'http://',
            },
            { type: 'MAP_QRY', name: 'name', query: 'query', fallbackUrl: 'http://' },
            { type: 'MAP_SEND', name: 'name' },
            {
              type: 'CALENDAR',
              name: 'name',
              startTime: 'start',
              endTime: 'end',
              title: 'a',
              description: 'b',
            },
            { type: 'COPY', name: 'name', text: 'text' },
            { type: 'COM_T', name: 'name', phoneNumber: '01012341234', text: 'text' },
            { type: 'COM_V', name: 'name', phoneNumber: '01012341234' },
            { type: 'DIAL', name: 'name', phoneNumber: '01012341234' },
          ],
          subContent: [{ subTitle: 'title', subDesc: 'desc', subMedia: 'media', subMediaUrl: 'http://' }],
        },
      },
      from: FROM,
      to: TO,
      formatId: 'formatId',
      brandKey: 'brandKey',
      brandId: 'brandId',
      header: '1',
      footer: '1234',
      ref: '',
    },
  },
  'Python test of a carousel of one card': {
    reportCode: '33121',
    channel: 'rcs',
    body: {
      content: {
        carousel: [{ text: 'text', title: 'title', media: 'media', mediaUrl: 'http://', button: [] }],
      },
      from: FROM,
      to: TO,
      formatId: 'formatId',
      brandKey: 'brandKey',
      ref: '',
    },
  },
  'Python test of a template': {
    reportCode: '33121',
    channel: 'rcs',
    body: {
      content: { template: { title: 'title', description: 'description', subContent: [] } },
      from: FROM,
      to: TO,
      formatId: 'formatId',
      brandKey: 'brandKey',
      ref: '',
    },
  },
  'Python test of an alimtalk': {
    channel: 'alimtalk',
    body: {
      senderKey: 'senderKey',
      msgType: 'AT',
      to: TO,
      templateCode: 'templateCode',
      text: 'text',
      button: [],
      ref: '',
      fallback: { type: 'SMS', from: FROM, text: 'text', originCID: '1234' },
    },
  },
  'Python test of a friendtalk': {
    channel: 'friendtalk',
    body: {
      senderKey: 'senderKey',
      msgType: 'FT',
      to: TO,
      text: 'text',
      imgUrl: 'http://',
      button: [],
      ref: '',
    },
  },
};

interface Omni {
  readonly destinations: readonly object[];
  readonly messageFlow: readonly object[];
  readonly ref?: string | null;
  readonly paymentCode?: string | null;
}

const IMAGE = { imgUrl: 'https://example.com/image.jpg' };
const COMMERCE = { title: 'goods', regularPrice: 1000, discountPrice: 0, discountRate: 0, discountFixed: 0 };

export const OMNI_BODIES: Readonly<Record<string, Omni>> = {
  'C#: replaceWord, copyAllow, members in Pascal case': {
    destinations: [{ to: TO, replaceWord: { name: 'somebody' } }],
    messageFlow: [
      {
        rcs: {
          content: {
            standalone: {
              text: '#{name}',
              button: [{ type: 'COPY', name: 'Copy', Text: '#{name}' }],
            },
          },
          from: FROM,
          formatId: 'SS000000',
          brandKey: 'brand-key',
          copyAllow: '1',
        },
      },
    ],
    ref: '',
    paymentCode: '',
  },
  'Go: clientKey, null members, no brand, a form of blanks': {
    destinations: [{ to: TO, replaceWords: null, clientKey: 'client-key' }],
    messageFlow: [
      {
        rcs: {
          content: { standalone: { text: 'hello' } },
          from: FROM,
          formatId: 'SS000000',
          brandKey: null,
          brandId: null,
          ttl: null,
        },
      },
      {
        friendtalk: {
          senderKey: 'key',
          msgType: 'FL',
          header: 'header',
          text: null,
          attachment: {
            item: {
              list: [1, 2, 3].map(number => ({ title: `item ${number}`, ...IMAGE, ...LINK })),
              summary: { urlMobile: '' },
            },
            coupon: null,
          },
        },
      },
    ],
    ref: null,
    paymentCode: null,
  },
  'Java: no head, zeros for discounts, a tail whose title is the address': {
    destinations: [{ to: TO, replaceWords: {} }],
    messageFlow: [
      {
        friendtalk: {
          senderKey: 'key',
          msgType: 'FA',
          carousel: {
            head: null,
            list: [1, 2].map(() => ({
              addtionalContent: 'small print',
              attachment: {
                image: IMAGE,
                commerce: COMMERCE,
                button: [{ type: 'WL', name: 'Open', ...LINK }],
              },
            })),
            tail: { title: 'https://example.com', urlMobile: 'https://m.example.com' },
          },
        },
      },
      { mms: { from: FROM, text: 'hello', title: null, fileKey: [], ttl: null } },
    ],
  },
  'C# and JavaScript: additional content in two misspellings': {
    destinations: [{ to: TO }],
    messageFlow: [
      {
        friendtalk: {
          senderKey: 'key',
          msgType: 'FM',
          addtioaddtionalContent: 'small print',
          attachment: { image: IMAGE, commerce: COMMERCE },
        },
      },
      {
        brandmessage: {
          senderKey: 'key',
          sendType: 'free',
          msgType: 'FM',
          targeting: 'I',
          addtionalContent: 'small print',
          adults: 'Y',
          attachment: { image: IMAGE, commerce: COMMERCE },
        },
      },
    ],
  },
  'Python: numbers for ttl and price, empty lists, an unknown currency': {
    destinations: [{ to: TO }],
    messageFlow: [
      {
        alimtalk: {
          senderKey: 'senderKey',
          msgType: 'AT',
          templateCode: 'templateCode',
          text: 'text',
          attachment: {
            button: [],
            item: {
              list: [
                { title: 'title', description: 'description' },
                { title: 'title', description: 'description' },
              ],
              summary: { title: 'title', description: '1,000' },
            },
            itemHighlight: { title: 'title', description: 'description' },
          },
          supplement: { quickReply: [] },
          price: 1000,
          currencyType: 'KWR',
        },
      },
      {
        rcs: {
          content: { carousel: [{ text: 'text', title: 'title', media: 'media', button: [] }] },
          from: FROM,
          formatId: 'formatId',
          brandKey: 'brandKey',
          agencyId: 'agencyId',
          header: '1',
          footer: '1234',
          ttl: 86400,
        },
      },
      { sms: { from: FROM, text: 'text', ttl: '86400', originCID: '1234' } },
    ],
    ref: '',
  },
  'Java: no summary of the items': {
    destinations: [{ to: TO }],
    messageFlow: [
      {
        alimtalk: {
          senderKey: 'key',
          msgType: 'AT',
          templateCode: 'code',
          text: 'hello',
          attachment: {
            item: {
              list: [
                { title: 'one', description: '1' },
                { title: 'two', description: '2' },
              ],
              summary: null,
            },
          },
          supplement: {
            quickReply: [
              { type: 'WL', name: 'Open', urlPC: 'https://example.com', ...LINK },
              { type: 'MD', name: 'Relay' },
              { type: 'BF', name: 'Form', bizFormId: '1' },
            ],
          },
          price: '1000',
        },
      },
    ],
  },
};
