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
import { RecordingHost } from '../../harness/recording-host.ts';
import { until } from '../../harness/until.ts';

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
  };
  /** Lets time pass for the carrier. */
  elapse(ms: number): void;
  /** Takes the other side away, where there is one that can be. */
  readonly takeAway?: () => Promise<void>;
}

export type MakeCarrier = (t: TestContext) => Promise<CarrierUnderTest>;

const STEP_MS = 50;
const REQUEST = '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4' as RequestId;

export function testCarrier(kind: string, make: MakeCarrier): void {
  const scene = async (t: TestContext) => {
    const made = await make(t);
    const host = new RecordingHost();
    let count = 0;
    const submission = ({ to, message }: Sample): Submission => ({
      attemptId: attemptIdOf(msgKeyOf(REQUEST, count++), 0, 1),
      account: accountId(),
      to,
      attempt: 1,
      message,
    });
    const submit = (...samples: Sample[]) => made.carrier.submit(samples.map(submission));
    /** Waits while time passes for the carrier too. */
    const eventually = <T>(what: string, condition: () => T) =>
      until(what, () => {
        made.elapse(STEP_MS);
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
    const close = async () => {
      let isClosed = false;
      const closing = made.carrier.close().then(() => {
        isClosed = true;
      });
      await eventually('the carrier is closed', () => isClosed);
      await closing;
    };
    t.after(close);
    return { ...made, host, submit, answerTo, eventually, start, close };
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
  });

  test(`${kind}: a refusal for good is permanent, with a code for the report`, async t => {
    const { samples, answerTo, start } = await scene(t);
    await start();
    const answer = await answerTo(samples.permanent);
    assert.ok(answer.kind === 'permanent', answer.kind);
    assert.ok(Object.hasOwn(REPORT_CODES, answer.reportCode));
  });

  test(`${kind}: a refusal for now is temporary, and the message's own`, async t => {
    const { samples, answerTo, start } = await scene(t);
    await start();
    const answer = await answerTo(samples.temporary);
    assert.ok(answer.kind === 'temporary', answer.kind);
    assert.equal(answer.isCarriersFault, undefined);
  });

  test(`${kind}: an answer that never comes leaves the outcome unknown`, async t => {
    const { samples, answerTo, start } = await scene(t);
    await start();
    assert.equal((await answerTo(samples.lost)).kind, 'unknown');
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

  test(`${kind}: without its other side it is not up, says so, and refuses as its own trouble`, async t => {
    const { carrier, samples, host, answerTo, eventually, start, takeAway } = await scene(t);
    if (!takeAway) return t.skip('the other side is always there');
    await start();
    const changesBefore = host.statusChanges;
    await takeAway();
    await eventually('the carrier notices', () => carrier.status().state !== 'up');
    assert.ok(host.statusChanges > changesBefore);
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
