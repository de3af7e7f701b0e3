/** The answers that the console keeps: when they are asked, asked again, and shown. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answers, createAnswers, type Watcher } from '../../console/src/answers/answers.ts';
import type { ListQuestion, Pages, Question } from '../../console/src/answers/question.ts';
import { Refusal } from '../../console/src/gateway/call.ts';

const UNREACHABLE = () => new Refusal('The gateway is not responding.');

/** Time, and whether the tab is hidden, in the hands of the test. */
class Tab {
  isHidden = false;
  #now = 0;
  #timers: { at: number; act: () => void }[] = [];
  #shown: () => void = () => {};
  readonly answers: Answers = createAnswers({
    now: () => this.#now,
    after: (ms, act) => {
      const timer = { at: this.#now + ms, act };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter(each => each !== timer);
      };
    },
    isHidden: () => this.isHidden,
    onShown: act => {
      this.#shown = act;
      return () => {};
    },
  });

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await turns();
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter(each => each !== next);
      next.act();
    }
    this.#now = until;
  }

  async show(): Promise<void> {
    this.isHidden = false;
    this.#shown();
    await turns();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** A question that the test answers itself. */
function asked(key = '/things?') {
  const calls: {
    signal: AbortSignal;
    answer: (value: string) => Promise<void>;
    fail: (why: Refusal) => Promise<void>;
  }[] = [];
  const question: Question<string> = {
    key,
    about: key,
    freshMs: 500,
    calls: () => 1,
    ask: signal =>
      new Promise((resolve, reject) => {
        calls.push({
          signal,
          answer: value => {
            resolve(value);
            return turns();
          },
          fail: why => {
            reject(why);
            return turns();
          },
        });
      }),
  };
  const last = () => {
    const call = calls.at(-1);
    assert.ok(call);
    return call;
  };
  return { question, calls, last };
}

const watcher = <T>(everyMs?: number): Watcher<T> => ({ everyMs: () => everyMs, changed: () => {} });

test('an answer slower than its interval is shown: no poll cancels the one before it', async () => {
  const { answers, pass } = bound(new Tab());
  const { question, calls, last } = asked();
  answers.watch(question, watcher(2000));
  await pass(9000);
  assert.equal(calls.length, 1);
  assert.equal(last().signal.aborted, false);
  await last().answer('slow');
  assert.equal(answers.answerTo(question).answer, 'slow');
  await pass(1999);
  assert.equal(calls.length, 1);
  await pass(1);
  assert.equal(calls.length, 2, 'the interval begins with the answer');
});

test('equal questions of several parts are asked once', async () => {
  const { answers } = new Tab();
  const { question, calls, last } = asked();
  answers.watch(question, watcher());
  answers.watch(question, watcher());
  await last().answer('one');
  answers.watch(question, watcher());
  assert.equal(calls.length, 1);
});

test('what nobody answers is asked again, later each time, and the last answer stays', async () => {
  const { answers, pass } = bound(new Tab());
  const { question, calls, last } = asked();
  answers.watch(question, watcher(2000));
  await last().answer('before');
  await pass(2000);
  for (const [failures, delay] of [1000, 2000, 4000, 8000, 15_000, 30_000, 30_000].entries()) {
    await last().fail(UNREACHABLE());
    const { answer, refusal } = answers.answerTo(question);
    assert.deepEqual([answer, refusal?.status], ['before', 0]);
    await pass(delay - 1);
    assert.equal(calls.length, failures + 2);
    await pass(1);
    assert.equal(calls.length, failures + 3);
  }
  await last().answer('after');
  assert.deepEqual(answers.answerTo(question), { answer: 'after', refusal: undefined, isLoading: false });
});

test('a request that is never answered counts as failed after 30 s', async () => {
  const { answers, pass } = bound(new Tab());
  const { question, calls } = asked();
  answers.watch(question, watcher());
  await pass(30_000);
  assert.equal(calls[0]?.signal.aborted, true);
  assert.equal(answers.answerTo(question).refusal?.status, 0);
  await pass(1000);
  assert.equal(calls.length, 2);
});

test('a refusal of the gateway is not asked again by itself', async () => {
  const { answers, pass } = bound(new Tab());
  const { question, calls, last } = asked();
  answers.watch(question, watcher());
  await last().fail(new Refusal('no such thing', 'A404', 404));
  await pass(120_000);
  assert.equal(calls.length, 1);
  answers.reload(question.key);
  assert.equal(calls.length, 2);
});

test('a hidden tab asks nothing, and asks what was due when it is shown', async () => {
  const tab = new Tab();
  const { answers, pass } = bound(tab);
  const { question, calls, last } = asked();
  answers.watch(question, watcher(700));
  await last().answer('one');
  tab.isHidden = true;
  await pass(60_000);
  assert.equal(calls.length, 1);
  await tab.show();
  assert.equal(calls.length, 2);
});

test('after a change everything that is shown is asked again, also what was being asked', async () => {
  const { answers } = new Tab();
  const [one, other, gone] = [asked('/one?'), asked('/other?'), asked('/gone?')];
  answers.watch(one.question, watcher());
  answers.watch(other.question, watcher());
  answers.watch(gone.question, watcher())();
  await one.last().answer('old');
  answers.reloadAll();
  assert.deepEqual([one.calls.length, other.calls.length, gone.calls.length], [2, 1, 1]);
  await other.last().answer('may be from before the change');
  assert.equal(other.calls.length, 2);
  answers.watch(gone.question, watcher());
  assert.equal(gone.calls.length, 2);
});

test('what is not shown any more is cancelled, and its last answer shown at once when it is opened again', async () => {
  const { answers, pass } = bound(new Tab());
  const { question, calls, last } = asked();
  const leave = answers.watch(question, watcher(1000));
  await last().answer('kept');
  await pass(1000);
  leave();
  assert.equal(last().signal.aborted, true);
  await pass(60_000);
  assert.equal(calls.length, 2);
  answers.watch(question, watcher());
  assert.equal(answers.answerTo(question).answer, 'kept');
  assert.equal(calls.length, 3);
});

/** A list of so many rows, two on a page. */
function listOf(size: () => number): { question: ListQuestion<number>; reads: string[] } {
  const reads: string[] = [];
  const page = async (_signal?: AbortSignal, cursor = '0'): Promise<Pages<number>> => {
    reads.push(cursor);
    const from = Number(cursor);
    const rows = Array.from({ length: Math.min(2, size() - from) }, (_, index) => from + index);
    return { rows, next: from + 2 < size() ? String(from + 2) : null, count: 1 };
  };
  const askMore: ListQuestion<number>['askMore'] = async (signal, last) => {
    const next = await page(signal, last.next ?? '');
    return { rows: [...last.rows, ...next.rows], next: next.next, count: last.count + 1 };
  };
  const question: ListQuestion<number> = {
    key: '/list?',
    about: '/list',
    freshMs: 0,
    calls: last => last?.count ?? 1,
    page,
    askMore,
    async ask(signal, last) {
      let pages = await page(signal);
      while (pages.next !== null && pages.count < (last?.count ?? 1)) pages = await askMore(signal, pages);
      return pages;
    },
  };
  return { question, reads };
}

test('a list that is asked again keeps its later pages', async () => {
  const { answers, pass } = bound(new Tab());
  const { question } = listOf(() => 7);
  const rows = () => answers.answerTo(question).answer?.rows;
  answers.watch(question, watcher(5000));
  await turns();
  assert.deepEqual(rows(), [0, 1]);
  await answers.more(question);
  await answers.more(question);
  assert.deepEqual(rows(), [0, 1, 2, 3, 4, 5]);
  await pass(5000);
  assert.deepEqual(rows(), [0, 1, 2, 3, 4, 5]);
});

test('a page that is read while the list is asked again is not lost', async () => {
  const { answers } = new Tab();
  const { question } = listOf(() => 5);
  answers.watch(question, watcher());
  await turns();
  answers.reload(question.key);
  const more = answers.more(question);
  answers.reloadAll();
  await more;
  await turns();
  assert.deepEqual(answers.answerTo(question).answer?.rows, [0, 1, 2, 3]);
});

test('a refused next page is told, and the list stays as it is', async () => {
  const { answers } = new Tab();
  const { question } = listOf(() => 5);
  const failing = { ...question, askMore: () => Promise.reject(new Refusal('too late', 'A300', 400)) };
  answers.watch(failing, watcher());
  await turns();
  await assert.rejects(answers.more(failing), /too late/);
  const { answer, refusal, isLoading } = answers.answerTo(failing);
  assert.deepEqual([answer?.rows, refusal, isLoading], [[0, 1], undefined, false]);
});

function bound(tab: Tab): { readonly answers: Answers; readonly pass: (ms: number) => Promise<void> } {
  return { answers: tab.answers, pass: ms => tab.pass(ms) };
}
