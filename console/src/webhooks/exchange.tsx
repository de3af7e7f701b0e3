/** One attempt in full: how long each part of it took, the request and the answer. */

import type { AttemptView, ExchangeView as Exchange } from '../../../src/operations/webhooks.ts';
import { CodeBlock } from '../components/code-block.tsx';
import { useWords } from '../words/words.tsx';

export function ExchangeView({
  attempt,
  exchange,
}: {
  attempt: Omit<AttemptView, 'exchange'>;
  exchange: Exchange;
}) {
  const t = useWords();
  const { request, answer } = exchange;
  return (
    <div class="exchange">
      <Timing durationMs={attempt.durationMs} exchange={exchange} />
      <CodeBlock title={t.webhookAttempts.request} code={requestText(request, t.webhookAttempts.bodyGone)} />
      {answer ? (
        <CodeBlock
          title={t.webhookAttempts.answer}
          code={answerText(attempt.status, answer, t.webhookAttempts.emptyBody, t.webhookAttempts.cut)}
        />
      ) : (
        <p class="muted">{t.webhookAttempts.noAnswer}</p>
      )}
    </div>
  );
}

/** Until the request was on its way, until the answer began, until it was read. */
function Timing({ durationMs, exchange }: { durationMs: number; exchange: Exchange }) {
  const t = useWords();
  const sent = exchange.sentMs ?? durationMs;
  const answered = exchange.answeredMs ?? durationMs;
  const parts = [
    { name: t.webhookAttempts.timing.connect, ms: sent, tone: 'busy' },
    ...(exchange.sentMs === null
      ? []
      : [{ name: t.webhookAttempts.timing.wait, ms: answered - sent, tone: 'doubt' }]),
    ...(exchange.answeredMs === null
      ? []
      : [{ name: t.webhookAttempts.timing.read, ms: durationMs - answered, tone: 'good' }]),
  ];
  return (
    <div class="exchange-timing">
      <div class="exchange-bar" aria-hidden="true">
        {parts.map(({ name, ms, tone }) => (
          <span key={name} class={`exchange-part exchange-${tone}`} style={{ flexGrow: Math.max(ms, 0) }} />
        ))}
      </div>
      <dl class="exchange-legend">
        {parts.map(({ name, ms, tone }) => (
          <div key={name}>
            <dt class={`exchange-key exchange-${tone}`}>{name}</dt>
            <dd>{t.webhookAttempts.milliseconds(Math.max(ms, 0))}</dd>
          </div>
        ))}
        <div>
          <dt>{t.webhookAttempts.timing.whole}</dt>
          <dd>{t.webhookAttempts.milliseconds(durationMs)}</dd>
        </div>
      </dl>
    </div>
  );
}

function requestText({ url, headers, body }: Exchange['request'], gone: string): string {
  return [`POST ${url}`, ...headerLines(headers), '', body === null ? gone : readable(body)].join('\n');
}

function answerText(
  status: number | null,
  { headers, body, length }: NonNullable<Exchange['answer']>,
  empty: string,
  cut: (length: number) => string,
): string {
  const lines = [`HTTP ${status ?? ''}`, ...headerLines(headers), '', body === '' ? empty : readable(body)];
  return [...lines, ...(length > body.length ? ['', cut(length)] : [])].join('\n');
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** JSON on several lines; anything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
