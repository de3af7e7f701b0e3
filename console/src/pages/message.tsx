/** One message: its state, its timeline, what the recipient sees, the request and the response. */
import { useState } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { ChannelTrail, StateBadge } from '../components/badge.tsx';
import { CodeBlock, jsonText } from '../components/code-block.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Facts } from '../components/facts.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { curlOf } from '../compose/code.ts';
import { CancelOne } from '../desk/cancel-one.tsx';
import { ResendOne } from '../desk/resend-one.tsx';
import { isCancellable } from '../gateway/message-order.ts';
import {
  ERASED,
  isEnded,
  isResendable,
  type Message,
  readMessage,
  revealMessage,
  type WireReport,
} from '../gateway/messages.ts';
import { Phones } from '../message/phones.tsx';
import { Reveal } from '../message/reveal.tsx';
import { Timeline } from '../message/timeline.tsx';
import { isOptedOut, Why } from '../message/why.tsx';
import { decoded, Link, useRouter } from '../router.tsx';
import { useMay, useSession } from '../session.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';

const FOLLOW_MS = 700;

export function MessagePage() {
  const t = useWords();
  const msgKey = decoded(useRouter().path.split('/').at(-1) ?? '');
  const isOperator = useMay('operator');
  const [revealed, setRevealed] = useState<Message | undefined>();
  const asked = useAnswer(readMessage(msgKey), ({ state }) => (isEnded(state) ? undefined : FOLLOW_MS));
  const { answer: latest, refusal } = asked;
  // What was revealed stays while its state is followed.
  const answer = latest && (revealed ? { ...latest, ...contentOf(revealed) } : latest);
  const isFollowed = answer !== undefined && !isEnded(answer.state);

  if (refusal?.status === 404 || refusal?.status === 400) {
    return (
      <>
        <PageHead title={t.message.title} />
        <EmptyState title={t.message.none} hint={t.message.noneHint}>
          <Link to="/messages" class="button">
            {t.message.back}
          </Link>
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <p class="crumb">
        <Link to="/messages">
          <Icon name="left" /> {t.message.back}
        </Link>
      </p>
      <PageHead title={titleOf(answer, t)} {...(isFollowed && { intro: t.message.following })}>
        {answer && (
          <>
            <StateBadge state={answer.state} />
            {answer.masked && (
              <Reveal reveal={reason => revealMessage(msgKey, reason)} onRevealed={setRevealed} />
            )}
            <CancelOne msgKey={msgKey} isOffered={isCancellable(answer)} />
            {isResendable(answer) && !isOptedOut(answer) && <ResendOne message={answer} />}
            {answer.request && isOperator && (
              <Link to={`/compose?like=${encodeURIComponent(msgKey)}`} class="button">
                <Icon name="compose" /> {t.message.sendAgain}
              </Link>
            )}
          </>
        )}
      </PageHead>
      <Loaded of={{ ...asked, answer }}>{message => <Details message={message} />}</Loaded>
    </>
  );
}

function titleOf(message: Message | undefined, t: Words): string {
  if (!message) return t.message.title;
  return message.to === ERASED ? t.message.erased : message.to;
}

function contentOf({ to, masked, flow, rendered, request, response }: Message): Partial<Message> {
  return {
    ...{ to, masked, flow, rendered },
    ...(request && { request }),
    ...(response !== undefined && { response }),
  };
}

function Details({ message }: { message: Message }) {
  const t = useWords();
  const { publicUrl } = useSession();
  const { request, response, reports = [] } = message;
  return (
    <>
      <Summary message={message} />
      <Why message={message} />
      <div class="message">
        <div class="message-story">
          <section class="card" aria-label={t.message.timeline}>
            <h2>{t.message.timeline}</h2>
            <Timeline message={message} />
          </section>
          <section class="card" aria-label={t.message.reports}>
            <h2>{t.message.reports}</h2>
            {reports.length === 0 ? (
              <p class="muted">{t.message.noReports}</p>
            ) : (
              <Reports reports={reports} />
            )}
          </section>
          {request && (
            <CodeBlock
              title={`${t.message.request} · ${request.method} ${request.path}`}
              code={jsonText(request.body)}
              copyLabel={t.message.copyJson}
            >
              <CopyButton
                text={curlOf(publicUrl ?? location.origin, request.path, request.body)}
                label={t.message.copyCurl}
              />
            </CodeBlock>
          )}
          {response !== undefined && (
            <CodeBlock title={t.message.response} code={jsonText(response)} copyLabel={t.message.copyJson} />
          )}
        </div>
        <Phones message={message} />
      </div>
    </>
  );
}

function Summary({ message }: { message: Message }) {
  const t = useWords();
  const { flow, step, timeline, ref } = message;
  return (
    <Facts
      facts={[
        [
          t.messages.key,
          <>
            <code class="key">{message.msgKey}</code> <CopyButton text={message.msgKey} />
          </>,
        ],
        [t.common.account, message.account],
        [
          t.messages.flow,
          <ChannelTrail key="flow" channels={flow.map(({ channel }) => channel)} step={step} />,
        ],
        [t.message.attempt, Math.max(0, ...timeline.map(({ attempt = 0 }) => attempt))],
        [t.message.acceptedAt, <Time key="at" at={message.acceptedAt} />],
        message.resendOf !== undefined && [t.desk.resendOf, linked([message.resendOf])],
        message.resentAs.length > 0 && [t.desk.resentAs, linked(message.resentAs)],
        ref !== undefined && [t.messages.ref, ref],
        message.groupKey !== undefined && [t.messages.groupKey, message.groupKey],
      ]}
    />
  );
}

/** Messages that were sent in the place of another. */
function linked(msgKeys: readonly string[]) {
  return msgKeys.map(msgKey => (
    <p key={msgKey}>
      <Link to={`/messages/${msgKey}`} class="key">
        {msgKey}
      </Link>
    </p>
  ));
}

function Reports({ reports }: { reports: readonly WireReport[] }) {
  const t = useWords();
  const columns: readonly Column<WireReport>[] = [
    { name: t.reports.reported, cell: report => <Time at={report.reportTime} /> },
    { name: t.reports.service, cell: report => `${report.serviceType} ${report.msgType}` },
    {
      name: t.reports.result,
      cell: report => (
        <>
          <code>{report.reportCode}</code> {report.reportText}
        </>
      ),
    },
    { name: t.common.network, cell: report => report.carrier ?? '' },
  ];
  return (
    <Table
      label={t.message.reports}
      columns={columns}
      rows={reports}
      keyOf={(_report, index) => String(index)}
    />
  );
}
