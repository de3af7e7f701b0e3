import assert from 'node:assert/strict';
import test from 'node:test';
import { draftOf, requestOf } from '../../console/src/compose/draft.ts';
import { withValue } from '../../console/src/compose/entry.ts';
import { feedbackOf } from '../../console/src/compose/field-feedback.ts';
import { previewOf } from '../../console/src/compose/preview.ts';

const SMS = { id: 0, channel: 'sms', entry: { from: '0212345678', text: 'hello' } } as const;
const RCS = {
  id: 1,
  channel: 'rcs',
  entry: { from: '0212345678', formatId: 'SS000000', content: { standalone: { text: 'Hi #{name}' } } },
} as const;

test('a value is set deep inside and leaves the rest as it was', () => {
  const entry = { text: 'x', attachment: { button: [{ name: 'a' }, { name: 'b' }] } };
  assert.deepEqual(withValue(entry, 'attachment.button.1.name', 'c'), {
    text: 'x',
    attachment: { button: [{ name: 'a' }, { name: 'c' }] },
  });
  assert.deepEqual(entry.attachment.button[1], { name: 'b' });
});

test('a value that is emptied takes the objects with it that held nothing else', () => {
  const entry = { text: 'x', attachment: { image: { imgUrl: 'y' } } };
  assert.deepEqual(withValue(entry, 'attachment.image.imgUrl', ''), { text: 'x' });
});

test('one step is a single send, several are a flow, and words need a flow', () => {
  const draft = { steps: [SMS], to: '01012345678', ref: '', words: [] };
  assert.deepEqual(requestOf(draft), { kind: 'sms', body: { ...SMS.entry, to: '01012345678' } });
  assert.equal(requestOf({ ...draft, steps: [RCS, SMS] }).kind, 'omni');
  assert.deepEqual(requestOf({ ...draft, words: [{ name: 'name', value: 'Kim' }] }), {
    kind: 'omni',
    body: {
      messageFlow: [{ sms: SMS.entry }],
      destinations: [{ to: '01012345678', replaceWords: { name: 'Kim' } }],
    },
  });
});

test('a request becomes the draft that makes it', () => {
  const draft = {
    steps: [RCS, SMS],
    to: '01012345678',
    ref: 'mine',
    words: [{ name: 'name', value: 'Kim' }],
  };
  const { kind, body } = requestOf(draft);
  assert.deepEqual(requestOf(draftOf(kind, body)), { kind, body });
});

test('the fallback of a single send is its second step, with the sender of the first', () => {
  const body = { ...RCS.entry, to: '01012345678', fallback: { type: 'SMS', text: 'short' } };
  assert.deepEqual(
    draftOf('rcs', body).steps.map(({ channel, entry }) => [channel, entry]),
    [
      ['rcs', RCS.entry],
      ['sms', { from: '0212345678', text: 'short' }],
    ],
  );
});

test('the preview fills placeholders and puts RCS content into the form of the carriers', () => {
  const words = [{ name: 'name', value: 'Kim' }];
  const [step] = previewOf(requestOf({ steps: [RCS], to: '01012345678', ref: '', words }));
  assert.ok(step?.channel === 'rcs');
  assert.equal(step.body?.description, 'Hi Kim');
});

test('a problem is told at the field that it names, in the step that it names', () => {
  const result = '"messageFlow[1].rcs.content.carousel[0].text" is too long';
  const feedback = feedbackOf({
    problem: { code: 'A415', result },
    warnings: [],
    steps: [
      { channel: 'sms', measures: [] },
      {
        channel: 'rcs',
        measures: [{ name: 'characters', field: 'description1', value: 3, limit: null }],
      },
    ],
  });
  assert.equal(feedback.problemAt(1, 'content.carousel.0.text'), result);
  assert.equal(feedback.problemAt(0, 'content.carousel.0.text'), undefined);
  assert.equal(feedback.measuresAt(1, 'content.carousel.0.text')[0]?.value, 3);
  assert.equal(feedback.isOk, false);
});
