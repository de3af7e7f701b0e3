/** The requests and answers of the gateway as types. Names and meanings are those of its API document (`/openapi.json`). */

/** A domestic text message of at most 90 EUC-KR bytes. */
export interface Sms {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly ref?: string;
  /** Groups messages in reports and in the history. */
  readonly groupKey?: string;
  /** When it is sent, if not now: `yyyy-MM-dd HH:mm:ss`. */
  readonly resvSendTime?: string;
  readonly resvName?: string;
  readonly originCID?: string;
}

/** A domestic text message of at most 2000 EUC-KR bytes, with up to three uploaded images. */
export interface Mms extends Sms {
  readonly title?: string;
  readonly fileKey?: readonly string[];
}

/** The text message that is sent if the message before it fails. */
export interface Fallback {
  readonly type: 'SMS' | 'MMS';
  readonly text: string;
  /** Required if the message before it has no sender number. */
  readonly from?: string;
  readonly title?: string;
  readonly fileKey?: readonly string[];
  readonly originCID?: string;
}

/** An RCS message: `content` in the simple style, or `body` and `buttons` in the carriers' format. */
export interface RcsMessage {
  readonly from: string;
  /** A format such as `SL000000`, or the id of an approved template. */
  readonly formatId: string;
  readonly brandKey?: string;
  readonly brandId?: string;
  readonly content?: RcsContent;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly buttons?: readonly object[];
  /** Time to wait for delivery: 24 hours, 40 seconds, 3 minutes 10 seconds, 1 hour. */
  readonly expiryOption?: '1' | '2' | '3' | '4';
  /** `1` shows the advertisement mark and needs `footer`. */
  readonly header?: '0' | '1';
  readonly footer?: string;
  readonly [other: string]: unknown;
}

/** Exactly one of the three. */
export interface RcsContent {
  readonly standalone?: object;
  readonly carousel?: readonly object[];
  readonly template?: Readonly<Record<string, unknown>>;
}

/** A notification by an approved template. */
export interface AlimtalkMessage {
  readonly senderKey: string;
  readonly msgType: 'AT' | 'AI';
  readonly templateCode: string;
  readonly text: string;
  readonly [other: string]: unknown;
}

export type FriendtalkType = 'FT' | 'FI' | 'FW' | 'FL' | 'FC' | 'FM' | 'FA' | 'FP';

/** A free-form message to friends of a channel. */
export interface FriendtalkMessage {
  readonly senderKey: string;
  readonly msgType: FriendtalkType;
  readonly text?: string;
  readonly [other: string]: unknown;
}

/** Like friendtalk, but also for people who are not friends of the channel. */
export interface BrandMessage extends FriendtalkMessage {
  readonly sendType: 'basic' | 'free' | 'template';
  readonly targeting?: 'M' | 'N' | 'I' | 'O';
  readonly templateCode?: string;
}

/** A message to one recipient, with a text message to fall back on. */
export type To<Message> = Message & {
  readonly to: string;
  readonly ref?: string;
  readonly groupKey?: string;
  readonly fallback?: Fallback;
};

/** The body of each single send, by the last segment of its path. */
export interface SingleSends {
  readonly sms: Sms;
  readonly mms: Mms;
  readonly international: Sms;
  readonly rcs: To<RcsMessage>;
  readonly alimtalk: To<AlimtalkMessage>;
  readonly friendtalk: To<FriendtalkMessage>;
  readonly brandmessage: To<BrandMessage>;
}

/** One message of a flow: exactly one member. */
export type FlowEntry =
  | { readonly sms: Omit<Sms, 'to' | 'ref' | 'groupKey' | 'resvSendTime' | 'resvName'> }
  | { readonly mms: Omit<Mms, 'to' | 'ref' | 'groupKey' | 'resvSendTime' | 'resvName'> }
  | { readonly rcs: RcsMessage }
  | { readonly alimtalk: AlimtalkMessage }
  | { readonly friendtalk: FriendtalkMessage }
  | { readonly brandmessage: BrandMessage };

export interface Destination {
  readonly to: string;
  /** Value for each `#{key}` in the flow. */
  readonly replaceWords?: Readonly<Record<string, string>>;
  /** Instead of the reference of the request. */
  readonly ref?: string;
}

/** A flow to up to ten recipients, or as many as the account may send to at once: written out, or by the id of a saved form. */
export interface OmniSend {
  readonly destinations: readonly Destination[];
  readonly messageFlow?: readonly FlowEntry[];
  readonly messageForm?: string;
  readonly paymentCode?: string;
  readonly ref?: string;
  readonly groupKey?: string;
  /** When it is sent, if not now: `yyyy-MM-dd HH:mm:ss`. */
  readonly resvSendTime?: string;
  readonly resvName?: string;
}

/** The result for one recipient of a flow; `msgKey` is null if it was refused. */
export interface DestinationResult {
  readonly to: string;
  readonly msgKey: string | null;
  readonly code: string;
  readonly result: string;
  /** The recipient's own reference, if it has one. */
  readonly ref?: string;
}

export interface Sent {
  readonly msgKey: string;
  /** Of the reservation, if `resvSendTime` was given. */
  readonly resvKey?: string;
  readonly ref?: string;
  /** The answer given before under the same idempotency key: nothing was sent now. */
  readonly isReplay?: true;
}

export interface OmniSent {
  /** Of the reservation, if `resvSendTime` was given and a recipient could be reserved. */
  readonly resvKey?: string;
  readonly destinations: readonly DestinationResult[];
  readonly ref?: string;
  /** The answer given before under the same idempotency key: nothing was sent now. */
  readonly isReplay?: true;
}

/** A send for later. */
export type NewReservation = Omit<OmniSend, 'destinations' | 'resvSendTime'> & {
  /** `yyyy-MM-dd HH:mm:ss`, in the time zone of the gateway unless an offset follows. */
  readonly resvSendTime: string;
  readonly resvName?: string;
  /** Up to 1,000; more can be added. */
  readonly destinations?: OmniSend['destinations'];
};

/** HELD: the gateway was restored from a backup, and its operator decides whether it is still to be sent. */
export type ReservationState = 'PENDING' | 'PROCESSING' | 'STOPPED' | 'HELD' | 'COMPLETED' | 'CANCELLED';

export interface Reservation {
  readonly resvKey: string;
  readonly resvName: string | null;
  readonly status: ReservationState;
  readonly resvSendTime: string;
  readonly channels: readonly string[];
  readonly adYn: 'Y' | 'N';
  readonly paymentCode: string | null;
  readonly ref: string | null;
  readonly groupKey: string | null;
  readonly expectedCnt: number;
  readonly sentCnt: number;
  readonly successCnt: number;
  readonly failCnt: number;
  readonly regDate: string;
  readonly updateDate: string;
}

export interface ReservationPage {
  /** Newest first. */
  readonly reservations: readonly Reservation[];
  readonly lastSeq: string | null;
  readonly hasNext: boolean;
}

export interface ReservedRecipientPage {
  readonly destinations: readonly { readonly msgKey: string; readonly to: string; readonly sent: boolean }[];
  readonly lastSeq: string | null;
  readonly hasNext: boolean;
}

export interface Form {
  readonly formId: string;
  readonly messageForm: readonly FlowEntry[];
  readonly expired?: string;
}

/** The purpose of an uploaded image. */
export interface FilePurpose {
  readonly serviceType: 'MMS' | 'RCS' | 'FRIENDTALK' | 'BRANDMESSAGE';
  readonly msgType?: string;
  readonly subType?: string;
}

export interface UploadedFile {
  readonly fileKey: string;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly expired: string;
  /** For RCS. */
  readonly media?: string;
  /** For friendtalk and brandmessage. */
  readonly imgUrl?: string;
}

export interface Report {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly sendTime?: string;
  readonly reportTime: string;
  readonly reportType: string;
  /** `10000` means delivered. */
  readonly reportCode: string;
  readonly reportText: string;
  readonly carrier?: string;
  readonly resCnt?: string;
  /** On inquiry only. */
  readonly userType?: string;
  readonly ref?: string;
  readonly groupKey?: string;
}

export interface ReportBatch {
  /** Empty if there is nothing to fetch. */
  readonly reportId: string;
  readonly report: readonly Report[] | null;
}

/** `sender`: a sender number, sender key or brand key; all senders without it. */
export interface NewOptOut {
  readonly to: string;
  readonly sender?: string;
  readonly covers?: 'advertisements' | 'all';
}

export type Consent = Pick<NewOptOut, 'to' | 'sender'>;

export interface AddedOptOuts {
  readonly added: number;
  /** Those that were on the list already. */
  readonly known: number;
}

export type OptOutQuery = Readonly<
  Partial<Record<'to' | 'sender' | 'cursor' | 'limit', string> & { state: 'current' | 'all' }>
>;

export interface OptOut {
  readonly id: string;
  readonly to: string;
  readonly sender: string;
  readonly covers: 'advertisements' | 'all';
  readonly source: string | null;
  readonly since: string;
  readonly sinceWay: string;
  readonly sinceBy: string;
  /** When consent was given back. */
  readonly ended: string | null;
  readonly endedWay: string | null;
  readonly endedBy: string | null;
}

export interface OptOutPage {
  readonly optOuts: readonly OptOut[];
  readonly next: string | null;
}

/** A message that somebody sent to one of your numbers. */
export interface InboundMessage {
  readonly msgKey: string;
  readonly serviceType: 'MO';
  readonly msgType: 'SM';
  /** Your number. */
  readonly to: string;
  readonly from: string;
  readonly originator: string;
  readonly content: string;
  readonly occurredTime: string;
}

export interface InboundBatch {
  /** Empty if there is nothing to fetch. */
  readonly moId: string;
  readonly mo: readonly InboundMessage[] | null;
}

export interface InboundQuery {
  /** Received from, such as `2026-03-02T09:30:00+09:00`. */
  readonly occurredTime: string;
  readonly from?: string;
  readonly to?: string;
  /** Of the page before. */
  readonly lastSeq?: string;
  /** 1 to 1000; 100 by default. */
  readonly limit?: number;
}

export interface InboundPage {
  readonly messages: readonly InboundMessage[];
  readonly lastSeq: string;
  readonly hasNext: boolean;
}

/** A channel message of an account's own message; lists have less of it. */
export interface MessageStatus extends Partial<Omit<Report, 'msgKey' | 'serviceType'>> {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly to: string;
  /** `Y`: sent because the one before it failed. */
  readonly fallback: 'Y' | 'N';
  /** Such as `queued`, `submitted`, `delivered`, `failed`, `expired`. */
  readonly state: string;
  readonly responseCode: string;
  readonly responseText: string;
  readonly requestTime: string;
}

export interface OwnMessage {
  readonly msgKey: string;
  /** Shared by the recipients of one request. */
  readonly requestId: string;
  readonly to: string;
  readonly ref?: string;
  readonly groupKey?: string;
  readonly paymentCode?: string;
  /** As above, or `reserved` while it waits for its time. */
  readonly state: string;
  readonly resvKey?: string;
  readonly resvSendTime?: string;
  readonly requestTime: string;
  readonly messages: readonly MessageStatus[];
}

/** What every filter that is given must say of a message. */
export interface HistoryFilters {
  /** Accepted from, and before: ISO 8601 with offset. */
  readonly requestTime?: string;
  readonly until?: string;
  /** Such as `SMS,RCS`. */
  readonly serviceType?: string;
  readonly groupKey?: string;
  readonly ref?: string;
  readonly to?: string;
  readonly outcome?: 'delivered' | 'failed' | 'open';
  readonly reportCode?: string;
}

export interface HistoryQuery extends HistoryFilters {
  /** Of the page before. */
  readonly lastSeq?: string;
  readonly limit?: number;
}

/** Newest first. */
export interface HistoryPage {
  readonly messages: readonly MessageStatus[];
  /** Where to continue; null on the last page. */
  readonly lastSeq: string | null;
  readonly hasNext: boolean;
}

export interface StatisticsQuery {
  /** `yyyyMMdd`. */
  readonly startDate?: string;
  readonly endDate?: string;
  readonly serviceType?: string;
}

export interface DayStatistics {
  readonly statDate: string;
  readonly serviceType: string;
  readonly recvTotalCnt: number;
  readonly reportTotalCnt: number;
  readonly reportSuccCnt: number;
  readonly reportFailCnt: number;
  readonly outcomes: readonly {
    readonly reportCode: string;
    readonly reportText: string;
    readonly cnt: number;
  }[];
}

/** One of a request: `A000`, or `A825` and why it is too late. */
export interface CancelResult {
  readonly msgKey: string;
  readonly code: string;
  readonly result: string;
  readonly state: string;
}
