/** `bongsu webhook …`: the webhook of an account. */
import { type Command, Option } from 'commander';
import type { AccountId } from '../domain/ids.ts';
import { DELIVERY_STATES, isWebhookUrl } from '../domain/reports/webhook.ts';
import type { ExchangeView, TroubleView, WebhookView } from '../operations/webhooks.ts';
import { parseAccountArgument } from './account-argument.ts';
import { Failure, WrongUsage } from './failure.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatPairs, formatTable, print } from './output.ts';

interface RangeOptions extends PlaceOptions {
  readonly from?: string;
  readonly until?: string;
}

const MOST_LISTED = 50;

export function addWebhookCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('webhook').description('webhooks of accounts');

  const show = operatorCommand(
    commandOnId('show'),
    'show the URL, whether it is switched off, and the number of pending records',
    ['webhook show shop'],
  );
  show.action(async (id: AccountId, options: PlaceOptions) => {
    const view = await withTools(env, options, ({ call }) => call('GET /accounts/{id}/webhook', { id }));
    print(options, view, () => formatPairs(linesOf(view)));
  });

  const add = operatorCommand(
    group
      .command('add')
      .argument('<id>', 'account id', parseAccountArgument)
      .argument('<url>', 'where to post reports'),
    'push the reports of an account to a URL, and create its signing secret',
    ['webhook add shop https://shop.example.com/reports'],
  );
  add.action(async (id: AccountId, url: string, options: PlaceOptions) => {
    if (!isWebhookUrl(url)) {
      throw new WrongUsage(`"${url}" is not an http or https address without user and password`);
    }
    const added = await withTools(env, options, async ({ accounts, call }) => {
      await accounts.change(id, { settings: { reportMode: 'webhook', webhookUrl: url } });
      return call('POST /accounts/{id}/webhook/secret', { id });
    });
    print(options, { id, url, ...added }, () =>
      formatPairs({ account: id, URL: url, secret: `${added.secret}    (shown only once)` }),
    );
  });

  const deliveries = operatorCommand(
    commandOnId('deliveries'),
    `list the last ${MOST_LISTED} deliveries, with the outcome of each or the reason why it is pending`,
    ['webhook deliveries shop', 'webhook deliveries shop --state failed --json'],
  );
  deliveries.addOption(new Option('--state <state>', 'in this state only').choices(DELIVERY_STATES));
  deliveries.action(async (id: AccountId, options: PlaceOptions & { readonly state?: string }) => {
    const { state } = options;
    const query = { account: id, state, limit: String(MOST_LISTED) };
    const found = await withTools(env, options, ({ call }) => call('GET /webhooks', query));
    print(options, found, () => {
      if (found.deliveries.length === 0) return 'no deliveries';
      return formatTable(
        ['delivery', 'state', 'attempts', 'last attempt', 'answer', 'next attempt'],
        found.deliveries.map(delivery => [
          delivery.id,
          delivery.state,
          String(delivery.attempts),
          delivery.lastAt ?? '-',
          delivery.lastError ?? (delivery.lastStatus === null ? '-' : `HTTP ${delivery.lastStatus}`),
          delivery.nextAt ?? (delivery.waitsFor === null ? '-' : WAITS_FOR[delivery.waitsFor]),
        ]),
      );
    });
  });

  const retry = operatorCommand(
    commandOnId('retry'),
    'send the undelivered records of a time range now; or one record, delivered or not',
    [
      'webhook retry shop --from 2026-03-02T00:00:00+09:00 --until 2026-03-03T00:00:00+09:00',
      'webhook retry shop --delivery 06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000-0',
    ],
  );
  retry
    .option('--delivery <id>', 'one delivery, as "webhook deliveries" names it')
    .option('--from <time>', 'reported at or after, ISO 8601 with offset')
    .option('--until <time>', 'reported before');
  retry.action(async (id: AccountId, options: RangeOptions & { readonly delivery?: string }) => {
    const { delivery, from, until } = options;
    if (delivery !== undefined) {
      if (from !== undefined || until !== undefined) {
        throw new WrongUsage('--delivery names one record: leave out --from and --until');
      }
      const retried = await withTools(env, options, ({ call }) =>
        call('POST /webhooks/{deliveryId}/retry', { deliveryId: delivery }),
      );
      print(options, retried, () => `${retried.id} will be sent now`);
      return;
    }
    if (from === undefined || until === undefined) {
      throw new WrongUsage('give --from and --until, or --delivery');
    }
    const result = await withTools(env, options, ({ call }) =>
      call('POST /accounts/{id}/webhook/retry', { id, from, until }),
    );
    print(options, result, () => `${result.records} records of ${id} will be sent now`);
  });

  const test = operatorCommand(commandOnId('test'), 'send a signed sample record, once', [
    'webhook test shop',
    'webhook test shop --verbose',
  ]);
  test.option('--verbose', 'show the request and the answer');
  test.action(async (id: AccountId, options: PlaceOptions & { readonly verbose?: boolean }) => {
    const result = await withTools(env, options, ({ call }) =>
      call('POST /accounts/{id}/webhook/test', { id }),
    );
    print(options, result, () => {
      const status = result.status === null ? '' : `HTTP ${result.status}, `;
      const said = `${result.isOk ? 'ok' : 'failed'} (${status}${result.durationMs} ms): ${result.detail}`;
      return options.verbose && result.exchange
        ? `${said}\n\n${exchangeText(result.status, result.exchange)}`
        : said;
    });
    if (!result.isOk) throw new Failure('the webhook test failed');
  });

  const replay = operatorCommand(commandOnId('replay'), 'send the records of a time range again', [
    'webhook replay shop --from 2026-03-02T00:00:00+09:00 --until 2026-03-03T00:00:00+09:00',
  ]);
  replay
    .requiredOption('--from <time>', 'reported at or after, ISO 8601 with offset')
    .requiredOption('--until <time>', 'reported before');
  replay.action(
    async (id: AccountId, options: PlaceOptions & { readonly from: string; readonly until: string }) => {
      const { from, until } = options;
      const result = await withTools(env, options, ({ call }) =>
        call('POST /accounts/{id}/webhook/replay', { id, from, until }),
      );
      print(options, result, () => `${result.records} records of ${id} will be sent again`);
    },
  );

  const rotate = operatorCommand(
    commandOnId('rotate'),
    'create a new signing secret; the previous one stays valid for a day',
    ['webhook rotate shop'],
  );
  rotate.action(async (id: AccountId, options: PlaceOptions) => {
    const result = await withTools(env, options, ({ call }) =>
      call('POST /accounts/{id}/webhook/secret', { id }),
    );
    print(options, result, () => `secret   ${result.secret}    (shown only once)`);
  });

  const resume = operatorCommand(
    commandOnId('resume'),
    'turn a webhook on again after its receiver answered 410',
    ['webhook resume shop'],
  );
  resume.action(async (id: AccountId, options: PlaceOptions) => {
    const [before, view] = await withTools(env, options, async ({ call }) => [
      await call('GET /accounts/{id}/webhook', { id }),
      await call('POST /accounts/{id}/webhook/resume', { id }),
    ]);
    print(options, view, () => `${resumedText(id, before, view)}\n${formatPairs(linesOf(view))}`);
  });

  function commandOnId(name: string): Command {
    return group.command(name).argument('<id>', 'account id', parseAccountArgument);
  }
}

/** As the console says it. */
const WAITS_FOR = {
  time: 'planned',
  turn: 'due, waiting for its turn',
  call: 'being sent',
  circuit: 'receiver is failing',
  webhook: 'webhook is off',
} as const;

function resumedText(id: AccountId, before: WebhookView, { isOff }: WebhookView): string {
  if (isOff) return `the webhook of ${id} is still off, and "resume" cannot turn it on: see "sending" below`;
  return before.isOff
    ? `the webhook of ${id} is on again`
    : `the webhook of ${id} was not off: nothing to resume`;
}

function linesOf({ url, isOff, offReason, secrets, pending, trouble }: WebhookView): Record<string, string> {
  return {
    URL: url ?? 'none',
    sending: isOff ? `no: ${offReason}` : trouble ? troubleText(trouble) : 'yes',
    'waiting records': String(pending),
    secrets:
      secrets.map(({ id, expiresAt }) => (expiresAt ? `${id} (until ${expiresAt})` : id)).join(', ') ||
      'none',
  };
}

function troubleText({ failures, since, error, nextAt }: TroubleView): string {
  const next = nextAt === null ? 'when the next record is due' : `at ${nextAt}`;
  return `stopped since ${since}: ${failures} calls in a row failed (${error}); called again ${next}`;
}

function exchangeText(status: number | null, { request, answer }: ExchangeView): string {
  const headers = (given: Readonly<Record<string, string>>) =>
    Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  const sent = [`POST ${request.url}`, ...headers(request.headers), '', request.body ?? ''];
  const answered = answer ? [`HTTP ${status}`, ...headers(answer.headers), '', answer.body] : ['no answer'];
  // A receiver must not send control sequences to the terminal.
  return [...sent, '', ...answered].join('\n').replace(/[^\P{Cc}\n]/gu, '?');
}
