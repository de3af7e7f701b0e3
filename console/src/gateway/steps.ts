/**
 * The messages of a flow as the gateway shows them in `rendered`, and as the phone draws them. Only what is drawn is named;
 * everything but the channel is optional, because a half-written message is drawn as well.
 */

export const CHANNELS = [
  'sms',
  'mms',
  'international',
  'rcs',
  'alimtalk',
  'friendtalk',
  'brandmessage',
] as const;
export type Channel = (typeof CHANNELS)[number];

export interface TextStep {
  readonly channel: 'sms' | 'mms' | 'international';
  readonly from?: string;
  readonly text?: string;
  readonly title?: string;
  readonly fileKey?: readonly string[];
}

export interface RcsSuggestion {
  readonly action?: Readonly<Record<string, unknown>> & { readonly displayText?: string };
}

export interface RcsStep {
  readonly channel: 'rcs';
  readonly from?: string;
  readonly formatId?: string;
  readonly brandKey?: string;
  readonly templateKind?: 'free' | 'description' | 'cell' | 'image';
  /** `1` shows the advertisement mark. */
  readonly header?: string;
  /** Opt-out number. */
  readonly footer?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly buttons?: readonly { readonly suggestions?: readonly RcsSuggestion[] }[];
}

export interface MessengerButton {
  readonly type?: string;
  readonly name?: string;
  readonly urlMobile?: string;
  readonly urlPc?: string;
  readonly schemeIos?: string;
  readonly schemeAndroid?: string;
  readonly telNumber?: string;
}

export interface MessengerImage {
  readonly imgUrl?: string;
  readonly imgLink?: string;
}

export interface ListRow {
  readonly title?: string;
  readonly description?: string;
}

export interface AlimtalkStep {
  readonly channel: 'alimtalk';
  readonly senderKey?: string;
  readonly msgType?: string;
  readonly templateCode?: string;
  readonly text?: string;
  readonly title?: string;
  readonly header?: string;
  readonly attachment?: {
    readonly button?: readonly MessengerButton[];
    readonly item?: { readonly list?: readonly ListRow[]; readonly summary?: ListRow };
    readonly itemHighlight?: ListRow;
  };
  readonly supplement?: { readonly quickReply?: readonly MessengerButton[] };
}

export interface Coupon {
  readonly title?: string;
  readonly description?: string;
}

export interface Commerce {
  readonly title?: string;
  readonly regularPrice?: number;
  readonly discountPrice?: number;
  readonly discountRate?: number;
  readonly discountFixed?: number;
}

export interface CarouselCard {
  readonly header?: string;
  readonly message?: string;
  readonly additionalContent?: string;
  readonly attachment?: {
    readonly button?: readonly MessengerButton[];
    readonly image?: MessengerImage;
    readonly coupon?: Coupon;
    readonly commerce?: Commerce;
  };
}

export interface FriendtalkStep {
  readonly channel: 'friendtalk' | 'brandmessage';
  readonly senderKey?: string;
  readonly msgType?: string;
  readonly sendType?: string;
  readonly templateCode?: string;
  readonly text?: string;
  readonly header?: string;
  readonly additionalContent?: string;
  /** Shown as an advertisement unless `N`. */
  readonly adFlag?: string;
  readonly unsubscribePhoneNumber?: string;
  readonly unsubscribeAuthNumber?: string;
  readonly attachment?: {
    readonly button?: readonly MessengerButton[];
    readonly image?: MessengerImage;
    readonly item?: { readonly list?: readonly (ListRow & { readonly imgUrl?: string })[] };
    readonly coupon?: Coupon;
    readonly commerce?: Commerce;
    readonly video?: { readonly videoUrl?: string; readonly thumbnailUrl?: string };
  };
  readonly carousel?: {
    readonly head?: { readonly header?: string; readonly content?: string; readonly imageUrl?: string };
    readonly list?: readonly CarouselCard[];
    readonly tail?: { readonly urlMobile?: string; readonly urlPc?: string };
  };
}

export type Step = TextStep | RcsStep | AlimtalkStep | FriendtalkStep;

/** The key of an uploaded image in whatever refers to it: the key itself, `maapfile://KEY`, `…/files/KEY`. */
export function fileKeyOf(reference: string): string | undefined {
  return /^(?:maapfile:\/\/|https?:\/\/[^/]+\/files\/)?(\w{10,64})$/i.exec(reference)?.[1];
}
