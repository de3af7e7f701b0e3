/**
 * What every carrier must do, whatever it speaks. A factory gives the carrier with its other side, and messages that
 * the other side treats in known ways; the suite knows nothing else.
 */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Carrier, Submission, SubmitAnswer } from '../../../src/carriers/carrier.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { attemptIdOf, msgKeyOf, parseAccountId, type RequestId } from '../../../src/domain/ids.ts';
import { REPORT_CODES } from '../../../src/domain/reports/report-codes.ts';
import { isSameNumber } from '../../../src/domain/request/phone-number.ts';
import type { ManualClock } from '../../../src/platform/clock.ts';
import { until } from '../../harness/until.ts';
import { gated } from '../gated.ts';
import { RecordingHost } from '../recording-host.ts';

/** A message, and what the other side does with it. */
export interface Sample {
  readonly to: string;
  readonly message: Step;
}

export interface CarrierUnderTest {
  readonly carrier: Carrier;
  readonly samples: {
    /** Taken, and delivered by a receipt with a reference of the answer. */
    readonly delivered: Sample;
    /** Refused for good. */
    readonly permanent: Sample;
    /** Refused for now, because of the message or its recipient. */
    readonly temporary: Sample;
    /** The connection ends before an answer. */
    readonly lost: Sample;
    /** Answered with what nobody can understand. */
    readonly garbled?: Sample;
    /** Answered as taken, without the reference that its receipt will carry. */
    readonly nameless?: Sample;
    /** Refused because of our account, as every other message would be. */
    readonly accountRefused?: Sample;
    /** Refused because we send too fast. */
    readonly throttled?: Sample;
    /** One of its parts is refused at first, where a message is submitted in parts. */
    readonly partly?: Sample;
    /** The other side wants to be sent nothing for an hour. */
    readonly longPause?: Sample;
  };
  /** The carrier's. */
  readonly clock: ManualClock;
  /** Takes the other side away, where there is one that can be. */
  readonly takeAway?: () => Promise<void>;
}

export type MakeCarrier = (t: TestContext) => Promise<CarrierUnderTest>;

const STEP_MS = 50;
const HOUR_MS = 3_600_000;
const REQUEST = '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4' as RequestId;
const ATTEMPT = attemptIdOf(msgKeyOf(REQUEST, 999), 0, 1);

export function testCarrier(kind: string, make: MakeCarrier): void {
  const scene = async (t: TestContext) => {
    const made = await make(t);
    const host = new RecordingHost();
    const gate = gated({ ...made, host });
    let count = 0;
    const submission = ({ to, message }: Sample): Submission => ({
      attemptId: attemptIdOf(msgKeyOf(REQUEST, count++), 0, 1),
      account: accountId(),
      to,
      attempt: 1,
      timeLeftMs: 86_400_000,
      hasOwnTime: false,
      message,
    });
    /** The same attempt each time. */
    const submitOnce = async (sample: Sample) => {
      const [answer] = await Promise.all(
        made.carrier.submit([{ ...submission(sample), attemptId: ATTEMPT }]),
      );
      return answer;
    };
    const submit = (...samples: Sample[]) => made.carrier.submit(samples.map(submission));
    /** Waits while time passes for the carrier too. */
    const eventually = <T>(what: string, condition: () => T | Promise<T>) =>
      until(what, () => {
        made.clock.advance(STEP_MS);
        return condition();
      });
    const answerTo = async (sample: Sample): Promise<SubmitAnswer> => {
      let answer: SubmitAnswer | undefined;
      submit(sample)[0]?.then(given => {
        answer = given;
      });
      return eventually('the submit is answered', () => answer);
    };
    const start = async () => {
      await made.carrier.start(host);
      await eventually('the carrier is up', () => made.carrier.status().state === 'up');
    };
    const close = async (withinMs = 0) => {
      let isClosed = false;
      const closing = made.carrier.close(withinMs).then(() => {
        isClosed = true;
      });
      await eventually('the carrier is closed', () => isClosed);
      await closing;
    };
    t.after(() => close());
    return { ...made, host, gate, submit, submitOnce, answerTo, eventually, start, close };
  };

  test(`${kind}: a message that is taken has a reference for each part, and its receipt names one`, async t => {
    const { carrier, samples, host, answerTo, eventually, start } = await scene(t);
    await start();
    const answer = await answerTo(samples.delivered);
    assert.ok(answer.kind === 'accepted', answer.kind);
    assert.equal(answer.refs.length, carrier.partsOf(samples.delivered.message));
    const receipt = await eventually('the receipt comes', () => host.receipts[0]);
    assert.equal(receipt.reportCode, '10000');
    assert.ok('ref' in receipt && answer.refs.includes(receipt.ref));
    assert.ok(receipt.to === undefined || isSameNumber(receipt.to, samples.delivered.to));
  });

  test(`${kind}: an attempt that it takes only once has the same references when it is submitted again`, async t => {
    const { carrier, samples, submitOnce, start } = await scene(t);
    if (carrier.capabilities.repeatableForMs === 0) return t.skip('it promises nothing');
    await start();
    const [first, again] = [await submitOnce(samples.delivered), await submitOnce(samples.delivered)];
    assert.equal(first?.kind, 'accepted');
    assert.deepEqual(again, first);
  });

  test(`${kind}: a refusal for good is permanent, with a code for the report and what the carrier said`, async t => {
    const { samples, answerTo, start, takeAway } = await scene(t);
    await start();
    const answer = await answerTo(samples.permanent);
    assert.ok(answer.kind === 'permanent', answer.kind);
    assert.ok(Object.hasOwn(REPORT_CODES, answer.reportCode));
    if (takeAway) assert.ok(answer.detail);
  });

  test(`${kind}: a refusal for now is temporary, and the message's own, with what the carrier said`, async t => {
    const { samples, answerTo, start, takeAway } = await scene(t);
    await start();
    const answer = await answerTo(samples.temporary);
    assert.ok(answer.kind === 'temporary', answer.kind);
    assert.equal(answer.isCarriersFault, undefined);
    if (takeAway) assert.ok(answer.detail);
  });

  test(`${kind}: parts that have to be submitted again wait for room, also while the carrier closes`, async t => {
    const { samples, host, submit, eventually, start, close } = await scene(t);
    if (!samples.partly) return t.skip('a message is one submit');
    await start();
    host.hasRoom = false;
    const answers = Promise.all(submit(samples.partly, samples.partly, samples.partly));
    const [first, second] = await eventually('all wait', () =>
      host.rests.length === 3 ? host.rests : undefined,
    );
    assert.deepEqual(
      host.rests.map(({ parts }) => parts),
      [1, 1, 1],
    );
    first?.submit();
    const closing = close(10_000);
    second?.submit();
    await closing;
    const [, , given] = await answers;
    assert.deepEqual(
      (await answers).map(answer => answer.kind),
      ['accepted', 'accepted', 'unknown'],
    );
    assert.ok(given?.kind === 'unknown' && given.refs);
    assert.deepEqual(
      given.refs.map(ref => typeof ref),
      ['string', 'undefined'],
    );
  });

  test(`${kind}: an answer that never comes leaves the outcome unknown`, async t => {
    const { samples, answerTo, start } = await scene(t);
    await start();
    assert.equal((await answerTo(samples.lost)).kind, 'unknown');
  });

  test(`${kind}: a reconnect leaves one that is up as it is, and does nothing after its end`, async t => {
    const { carrier, samples, answerTo, start, close } = await scene(t);
    await start();
    carrier.reconnect();
    assert.equal(carrier.status().state, 'up');
    assert.equal((await answerTo(samples.delivered)).kind, 'accepted');
    await close();
    carrier.reconnect();
    assert.equal(carrier.status().state, 'down');
  });

  for (const [trouble, what] of [
    ['lost', 'that never comes'],
    ['garbled', 'that cannot be understood'],
    ['nameless', 'without a reference'],
    ['accountRefused', 'that refuses our account'],
  ] as const) {
    test(`${kind}: after five answers ${what} it rests, and the first message that is taken ends the rest`, async t => {
      const { samples, gate, answerTo, eventually, start, takeAway } = await scene(t);
      const sample = samples[trouble];
      if (!sample || !takeAway) return t.skip('the other side is always well');
      await start();
      let count = 0;
      for (; count < 5 && gate.told.length === 0; count++) {
        await eventually('it may be sent to', () => gate.room() > 0);
        gate.hear(await answerTo(sample));
      }
      assert.ok(count === 5 || trouble === 'accountRefused', `after ${count}`);
      assert.deepEqual([gate.told, gate.isAvailable()], [['resting'], false]);
      await eventually('a message is tried, alone', () => gate.room() === 1);
      gate.hear(await answerTo(samples.delivered));
      assert.deepEqual(gate.told, ['resting', 'recovered']);
    });
  }

  test(`${kind}: a refusal of our account says nothing about the message, however often it comes`, async t => {
    const { samples, answerTo, start } = await scene(t);
    const { accountRefused } = samples;
    if (!accountRefused) return t.skip('everybody may use it');
    await start();
    for (let count = 0; count < 6; count++) {
      const answer = await answerTo(accountRefused);
      assert.ok(answer.kind === 'temporary', answer.kind);
      assert.equal(answer.isCarriersFault, true);
      assert.equal(answer.isThrottled, undefined);
    }
  });

  test(`${kind}: throttling is told as such, and is no outage`, async t => {
    const { samples, gate, answerTo, start } = await scene(t);
    if (!samples.throttled) return t.skip('it takes what it is sent');
    await start();
    for (let count = 0; count < 6; count++) {
      const answer = await answerTo(samples.throttled);
      assert.ok(answer.kind === 'temporary', answer.kind);
      assert.ok(answer.isCarriersFault && answer.isThrottled);
      gate.hear(answer);
    }
    assert.deepEqual([gate.told, gate.isAvailable()], [[], true]);
  });

  test(`${kind}: a wish to be sent nothing for an hour is known, so that traffic can go another way`, async t => {
    const { clock, samples, gate, answerTo, start } = await scene(t);
    if (!samples.longPause) return t.skip('it has no words for that');
    await start();
    gate.hear(await answerTo(samples.longPause));
    clock.advance(HOUR_MS - 1);
    assert.deepEqual([gate.isAvailable(), gate.status().state], [false, 'down']);
    clock.advance(1);
    assert.equal(gate.isAvailable(), true);
  });

  test(`${kind}: a receipt that could not be settled comes again`, async t => {
    const { samples, host, answerTo, eventually, start } = await scene(t);
    await start();
    host.refusals = 1;
    const answer = await answerTo(samples.delivered);
    assert.ok(answer.kind === 'accepted');
    await eventually('the receipt is settled', () => host.receipts.length > 0);
    assert.ok(host.calls.length > 1);
    assert.ok(answer.refs.includes(host.refs()[0] ?? ''));
  });

  test(`${kind}: a batch has a promise for each submission, in order`, async t => {
    const { samples, submit, start } = await scene(t);
    await start();
    assert.deepEqual(submit(), []);
    const answers = await Promise.all(submit(samples.delivered, samples.permanent, samples.delivered));
    assert.deepEqual(
      answers.map(answer => answer.kind),
      ['accepted', 'permanent', 'accepted'],
    );
  });

  test(`${kind}: before start and after close a submit is refused as the carrier's own trouble`, async t => {
    const { carrier, samples, answerTo, start, close } = await scene(t);
    const expectRefusal = (answer: SubmitAnswer) => {
      assert.ok(answer.kind === 'temporary', answer.kind);
      assert.equal(answer.isCarriersFault, true);
    };
    expectRefusal(await answerTo(samples.delivered));
    assert.notEqual(carrier.status().state, 'up');
    await start();
    await close();
    expectRefusal(await answerTo(samples.delivered));
    assert.equal(carrier.status().state, 'down');
  });

  test(`${kind}: a test tells whether the other side is there`, async t => {
    const { carrier, eventually, start, close } = await scene(t);
    assert.equal((await carrier.test()).isOk, false);
    await start();
    // A carrier with two links is up with the one that sends; the other may take a moment longer.
    await eventually('the test is passed', async () => (await carrier.test()).isOk);
    await close();
    assert.equal((await carrier.test()).isOk, false);
  });

  test(`${kind}: close answers what is under way, and may be called again`, async t => {
    const { samples, submit, eventually, start, close } = await scene(t);
    await start();
    let answered = 0;
    const all = [samples.delivered, samples.temporary, samples.lost, samples.delivered];
    for (const answer of submit(...all)) answer.then(() => answered++);
    await close();
    await eventually('every submit is answered', () => answered === all.length);
    await close();
  });

  test(`${kind}: without its other side its traffic goes another way, and it refuses as its own trouble`, async t => {
    const { carrier, samples, host, gate, answerTo, eventually, start, takeAway } = await scene(t);
    if (!takeAway) return t.skip('the other side is always there');
    await start();
    const changesBefore = host.statusChanges;
    await takeAway();
    await eventually('it is known', async () => {
      if (gate.room() > 0) gate.hear(await answerTo(samples.delivered));
      return !gate.isAvailable();
    });
    assert.notEqual(gate.status().state, 'up');
    if (carrier.status().state !== 'up') assert.ok(host.statusChanges > changesBefore, 'its lane is told');
    const answer = await answerTo(samples.delivered);
    assert.ok(answer.kind === 'temporary' && answer.isCarriersFault);
    assert.equal((await carrier.test()).isOk, false);
  });
}

function accountId() {
  const id = parseAccountId('contract');
  assert.ok(id !== undefined);
  return id;
}
