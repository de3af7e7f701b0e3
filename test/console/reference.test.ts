/** The API reference's modules: what it reads of the document, its search, and its samples, which are run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { type RawDocument, readDocument, search } from '../../console/src/reference/document.ts';
import { bodyText, bodyTyped, firstValues, sampleCallOf } from '../../console/src/reference/sample-call.ts';
import { SAMPLE_LANGUAGES, sampleOf } from '../../console/src/reference/samples.ts';
import { REFERENCE_WORDS } from '../../console/src/reference/texts.ts';
import { API_OPERATIONS, apiDocument } from '../../src/http/openapi/document.ts';
import { testAccount } from '../harness/gateway.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const run = promisify(execFile);
const reference = readDocument(apiDocument() as unknown as RawDocument, new Date(2026, 11, 31, 12));

function found(text: string): string[] {
  return search(reference.operations.values(), text).map(({ id }) => id);
}

test('shows every operation once, those of clients and of operators apart', () => {
  const shown = (['client', 'operator'] as const).map(api =>
    reference.groups[api].flatMap(({ operations }) => operations),
  );
  const [client = [], operator = []] = shown;
  assert.equal(client.length + operator.length, API_OPERATIONS.length);
  assert.deepEqual(new Set(client.map(({ path }) => path.split('/')[1])), new Set(['v1', 'files']));
  assert.ok(operator.every(({ path }) => !path.startsWith('/v1/')));
});

test('names each group of operations in Korean, and no other', () => {
  const names = Object.values(reference.groups).flatMap(groups => groups.map(({ name }) => name));
  assert.deepEqual(Object.keys(REFERENCE_WORDS.ko.tags).sort(), [...new Set(names)].sort());
});

test('finds an operation by its name, path, field or code, whatever the case and the order of the words', () => {
  assert.equal(found('an sms SEND')[0], 'sendSms');
  assert.equal(found('/v1/send/omni')[0], 'sendOmni');
  assert.ok(found('brandKey').includes('sendRcs'));
  assert.ok(found('A805').includes('acknowledgeReports'));
  assert.deepEqual(found('nothing of the kind'), []);
});

test('has a sample of every operation in every language, with no secret in it', () => {
  for (const operation of reference.operations.values()) {
    const example = operation.body?.examples[0]?.value;
    const call = sampleCallOf(operation, reference, 'http://gateway.test', firstValues(operation), example);
    assert.doesNotMatch(call.url, /[{}]/, operation.id);
    for (const language of SAMPLE_LANGUAGES) {
      const sample = sampleOf(language, call);
      assert.ok(
        sample.includes(call.url) && sample.includes(operation.method),
        `${operation.id} ${language}`,
      );
      const isOpen = operation.access === 'nothing';
      assert.equal(
        /BONGSU_(TOKEN|ADMIN_TOKEN|CLIENT_ID)/.test(sample),
        !isOpen,
        `${operation.id} ${language}`,
      );
    }
  }
});

test('the first try of a reservation is for tomorrow', () => {
  const [example] = reference.operations.get('reserve')?.body?.examples ?? [];
  assert.equal(Reflect.get(Object(example?.value), 'resvSendTime'), '2027-01-01 09:30:00');
});

test('a body that is not JSON is sent as it is, and as what it is', () => {
  const operation = reference.operations.get('importOptOuts');
  assert.ok(operation);
  const value = operation.body?.examples[0]?.value;
  assert.match(bodyText(operation, value), /^to,sender,covers\n0\d+,,\n/);
  assert.equal(bodyTyped(operation, '1,2'), '1,2');
  const call = sampleCallOf(operation, reference, 'http://gateway.test', firstValues(operation), value);
  for (const language of SAMPLE_LANGUAGES) {
    const sample = sampleOf(language, call);
    assert.ok(sample.includes('text/csv') && sample.includes('to,sender,covers'), sample);
    assert.ok(!sample.includes('application/json'), sample);
  }
});

test('opts out nobody whom the other examples write to', () => {
  for (const id of ['addOptOuts', 'importOptOuts', 'addOptOutsOf', 'importOptOutsOf']) {
    const examples = reference.operations.get(id)?.body?.examples ?? [];
    assert.doesNotMatch(JSON.stringify(examples), /01012345678/, id);
  }
});

/** What a language must not take for its own. */
const HARD = { from: '0212345678', to: '01012345678', text: `it's "\\" \`a\` $b \${c} \n'` };

test('the samples do what they say', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const origin = await gateway.gateway.listen({ port: 0, host: '127.0.0.1' });
  const directory = scratchDirectory();
  const sendSms = reference.operations.get('sendSms');
  assert.ok(sendSms);
  const call = sampleCallOf(sendSms, reference, origin, firstValues(sendSms), HARD);
  const sample = (language: 'curl' | 'TypeScript' | 'Python') => sampleOf(language, call);
  const options = { env: { ...process.env, BONGSU_TOKEN: shop.token }, cwd: directory };
  const script = join(directory, 'sample.ts');
  writeFileSync(script, sample('TypeScript').replace('await response.json()', 'await response.text()'));
  const outputs = await Promise.all([
    run('sh', ['-c', sample('curl')], options),
    run(process.execPath, ['--disable-warning=ExperimentalWarning', script], options),
    run('python3', ['-c', sample('Python').replace('response.json()', 'response.text')], options).catch(
      (error: Error) => (/ENOENT|No module named/.test(error.message) ? undefined : Promise.reject(error)),
    ),
  ]);
  for (const output of outputs) {
    if (!output) continue;
    const [, msgKey = ''] = /"code":"A000".*"msgKey":"(\w+)"/.exec(output.stdout) ?? [];
    const [step] = (await gateway.gateway.store.messages.find(msgKey as never))?.flow ?? [];
    assert.equal(step && 'text' in step && step.text, HARD.text, output.stdout);
  }
});
