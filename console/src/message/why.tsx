/** Why a message did not arrive: what happened in a sentence, what to do, and a text for whoever asks. */
import { CopyButton } from '../components/copy-button.tsx';
import { Facts } from '../components/facts.tsx';
import { Time } from '../components/time.tsx';
import { ERASED, type Message, type TimelineEntry, type WireReport } from '../gateway/messages.ts';
import { Link } from '../router.tsx';
import { formatTime } from '../times.ts';
import type { Words } from '../words/en.ts';
import { lookUp, useWords } from '../words/words.tsx';
import { useZone } from '../zone.tsx';

/** What comes to a client after the end is not the end. */
const AFTER_THE_END: readonly string[] = [
  'reportFetched',
  'reportPushed',
  'latePart',
  'lateFailure',
  'receiptAmbiguous',
];

export function isOptedOut(message: Pick<Message, 'state' | 'timeline'>): boolean {
  return message.state === 'failed' && endOf(message)?.event === 'optedOut';
}

export function Why({ message }: { message: Message }) {
  const t = useWords();
  const { zone } = useZone();
  const { fate, advice, account, to, msgKey, acceptedAt } = message;
  const end = endOf(message);
  if (fate === 'open' || fate === 'delivered' || !end) return null;
  const report = message.reports?.at(-1);
  const sentence = sentenceOf(message, end, report, t);
  const customer = t.why.customer(
    to === ERASED ? '' : to,
    formatTime(acceptedAt, zone, Date.now()),
    fate === 'unsure' ? t.why.customerUnsure : t.why.customerFailed(report?.reportText ?? ''),
    msgKey,
  );
  return (
    <section class="card why" aria-label={t.why.title}>
      <header class="card-head">
        <h2>{t.why.title}</h2>
        <CopyButton text={customer} label={t.why.copy} />
      </header>
      <p class="why-sentence">{sentence}</p>
      <p>
        {advice !== null && lookUp(t.desk.adviceOf, advice)}{' '}
        {fate === 'notTaken' && !isOptedOut(message) && advice !== 'cancelled' && t.desk.safe(1)}
      </p>
      <Facts
        facts={[
          report && [
            t.reports.result,
            <>
              <code>{report.reportCode}</code> {report.reportText}
            </>,
          ],
          end.carrier !== undefined && [t.common.carrier, end.carrier],
          [t.common.time, <Time key="at" at={end.at} />],
        ]}
      />
      <ActionLink message={message} account={account} />
    </section>
  );
}

function ActionLink({ message, account }: { message: Message; account: string }) {
  const t = useWords();
  if (isOptedOut(message)) {
    return (
      <Link to={`/optouts?account=${encodeURIComponent(account)}`} class="button">
        {t.health.open(t.nav.optOuts)}
      </Link>
    );
  }
  if (message.advice === 'carrier' || message.advice === 'contract') {
    return (
      <Link to="/carriers" class="button">
        {t.health.open(t.nav.carriers)}
      </Link>
    );
  }
  return null;
}

/** The entry that ended it. */
function endOf({ timeline }: Pick<Message, 'timeline'>): TimelineEntry | undefined {
  return timeline.findLast(({ event }) => !AFTER_THE_END.includes(event));
}

function sentenceOf(
  { fate, timeline }: Message,
  end: TimelineEntry,
  report: WireReport | undefined,
  t: Words,
): string {
  const why = end.why ?? report?.reportText ?? '';
  switch (end.event) {
    case 'optedOut':
      return t.why.optedOut;
    case 'cancelled':
      return t.why.cancelled;
    case 'refused':
      return end.carrier ? t.why.refused(end.carrier, why) : t.why.notHanded(why);
    case 'receivedFailed':
      return t.why.reportedFailed(end.carrier ?? '', report?.reportText ?? why);
    case 'toldFailed':
      return t.why.toldFailed(why);
    default: {
      if (fate !== 'notTaken') return t.why.noReceipt;
      const last = timeline.findLast(entry => entry.why !== undefined && entry.event !== 'routed');
      return t.why.notTaken(last?.why ?? '');
    }
  }
}
