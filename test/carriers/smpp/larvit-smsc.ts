/** An SMSC on the npm package larvitsmpp, as a process of its own: the package gives no way to close its server. */
import larvitsmpp, { type LarvitSession, type LarvitSms } from 'larvitsmpp';

const silent = () => {};
const log = { silly: silent, debug: silent, verbose: silent, info: silent, warn: silent, error: silent };
const port = Number(process.argv[2]);
let ids = 0;

larvitsmpp.server({ host: '127.0.0.1', port, log }, (_: Error | null, session: LarvitSession) => {
  session.on('sms', (sms: LarvitSms) => {
    process.stdout.write(`sms ${sms.from} ${sms.to} ${Buffer.from(sms.message).toString('hex')}\n`);
    sms.smsId = `larvit-${++ids}`;
    sms.sendResp('ESME_ROK', () => {
      sms.sendDlr(sms.message !== 'fail', silent);
    });
  });
});
