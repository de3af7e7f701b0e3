/** The part of larvitsmpp that the tests use; the package has no types of its own. */
declare module 'larvitsmpp' {
  export interface LarvitSms {
    readonly from: string;
    readonly to: string;
    readonly message: string;
    smsId: string;
    sendResp(status: string, done: () => void): void;
    sendDlr(isDelivered: boolean, done: () => void): void;
  }
  export interface LarvitSession {
    on(event: 'sms', listener: (sms: LarvitSms) => void): void;
  }
  const larvitsmpp: {
    server(
      options: { host: string; port: number; log: Readonly<Record<string, () => void>> },
      connected: (error: Error | null, session: LarvitSession) => void,
    ): void;
  };
  export default larvitsmpp;
}
