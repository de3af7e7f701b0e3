/** The public JavaScript client, unmodified, against real servers: each call as its README and its types show it. */
import assert from 'node:assert/strict';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  DestinationBuilder,
  type File as FileService,
  FormRequestBodyBuilder,
  MessageFormBuilder,
  OMNI,
  OMNIOptionsBuilder,
  OMNIRequestBodyBuilder,
  RCSContentBuilder,
  SMSRequestBodyBuilder,
  StandaloneContentBuilder,
} from '@infobank/infobank-omni-sdk-js';
import MultipartForm from 'form-data';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import {
  type Accepted,
  alimtalkEntry,
  FLOWS,
  FRIENDTALKS,
  FROM,
  fallback,
  mmsEntry,
  rcs,
  rcsEntry,
  SINGLE_SENDS,
  smsEntry,
  TO,
} from './infobank-js-requests.ts';
import { greyJpeg } from './jpeg.ts';

type FileRequest = Parameters<FileService['uploadFile']>[1];

/** Where the client is pointed at, and its account there. */
interface Place {
  readonly url: string;
  readonly id: string;
  readonly password: string;
}

function authOf({ url, id, password }: Place) {
  const option = new OMNIOptionsBuilder().setBaseURL(url).setId(id).setPassword(password).build();
  const { auth } = new OMNI(option);
  assert.ok(auth);
  return auth;
}

/** The client after it got its token. */
async function clientAt(place: Place) {
  const { data } = await authOf(place).getToken();
  const option = new OMNIOptionsBuilder().setBaseURL(place.url).setToken(data.token).build();
  const { send, file, form, polling, report } = new OMNI(option);
  assert.ok(send && file && form && polling && report);
  return { send, file, form, polling, report };
}

type Client = Awaited<ReturnType<typeof clientAt>>;

async function createAccount({ url, id, password }: Place): Promise<void> {
  const { status } = await fetch(`${url}/admin/v1/accounts`, {
    method: 'POST',
    headers: { ...bearer(ADMIN_TOKEN), 'content-type': 'application/json' },
    body: JSON.stringify({ id, password }),
  });
  assert.equal(status, 200);
}

/** Waits for the records of a message. */
async function recordsOf({ report }: Client, msgKey: string) {
  return until(`${msgKey} has a record`, async () => {
    const answer = await report.getDetailReport(msgKey);
    assert.equal(answer.code, 'A000');
    assert.deepEqual(Object.keys(answer.data), ['report']);
    return answer.data.report.length > 0 && answer.data.report;
  });
}

/** What the client throws when the server refuses: axios' error, with the server's answer in it. */
function refusal(status: number, code: string, result: RegExp) {
  return (error: { response?: { status: number; data: Readonly<Record<string, string>> } }) => {
    assert.equal(error.response?.status, status);
    assert.deepEqual(Object.keys(error.response.data), ['code', 'result']);
    assert.equal(error.response.data.code, code);
    assert.match(error.response.data.result ?? '', result);
    return true;
  };
}

interface OmniData {
  readonly destinations: readonly {
    readonly to: string;
    readonly msgKey: string;
    readonly code: string;
    readonly result: string;
  }[];
}

/** Checks a combined send that every destination accepted, and gives their keys. */
function keysOf(answer: Accepted, to: readonly string[], ref?: string): string[] {
  const data = answer.data as OmniData;
  assert.deepEqual(answer, {
    code: 'A000',
    result: 'Success',
    data: {
      destinations: to.map((number, index) => ({
        to: number,
        msgKey: data.destinations[index]?.msgKey,
        code: 'A000',
        result: 'Success',
      })),
    },
    ...(ref !== undefined && { ref }),
  });
  return data.destinations.map(({ msgKey }) => msgKey);
}

function destination(to: string) {
  return new DestinationBuilder().setTo(to).setReplaceWords({ name: '홍길동' }).build();
}

function formIdOf(data: object): string {
  const { formId, ...others } = data as { formId: string };
  assert.ok(Object.keys(others).every(name => name === 'expired'));
  assert.match(formId, /^[\w.~-]+$/);
  return formId;
}

async function entriesOf({ form }: Client, formId: string): Promise<unknown> {
  const answer = await form.getFormData(formId);
  assert.equal(answer.code, 'A000');
  const { messageForm, ...others } = answer.data as { messageForm: unknown };
  assert.equal(formIdOf(others), formId);
  return messageForm;
}

const UPLOADS = [
  { serviceType: 'MMS', size: [640, 480], gives: [] },
  { serviceType: 'RCS', size: [568, 528], gives: ['media'] },
  { serviceType: 'FRIENDTALK', msgType: 'FI', size: [600, 400], gives: ['imgUrl'] },
  { serviceType: 'FRIENDTALK', msgType: 'FW', size: [800, 600], gives: ['imgUrl'] },
  { serviceType: 'FRIENDTALK', msgType: 'FL', size: [400, 400], gives: ['imgUrl'] },
  { serviceType: 'FRIENDTALK', msgType: 'FL', subType: 'first', size: [800, 400], gives: ['imgUrl'] },
  { serviceType: 'FRIENDTALK', msgType: 'FC', size: [600, 400], gives: ['imgUrl'] },
  { serviceType: 'FRIENDTALK', msgType: 'FA', size: [600, 400], gives: ['imgUrl'] },
  // So spelt in the client's own documentation.
  { serviceType: 'BRANDMESSAGE', msgType: 'defalut', size: [600, 400], gives: ['imgUrl'] },
  { serviceType: 'BRANDMESSAGE', msgType: 'wide', size: [800, 600], gives: ['imgUrl'] },
  { serviceType: 'BRANDMESSAGE', msgType: 'wideItemList', size: [400, 400], gives: ['imgUrl'] },
  {
    serviceType: 'BRANDMESSAGE',
    msgType: 'wideItemList',
    subType: 'first',
    size: [800, 400],
    gives: ['imgUrl'],
  },
  { serviceType: 'BRANDMESSAGE', msgType: 'carouselFeed', size: [800, 600], gives: ['imgUrl'] },
  { serviceType: 'BRANDMESSAGE', msgType: 'carouselCommerce', size: [800, 600], gives: ['imgUrl'] },
] as const;

/** The upload of the README: a stream of a file in a form of the package form-data. */
async function upload(
  { file }: Client,
  path: { readonly serviceType: string; readonly msgType?: string; readonly subType?: string },
  bytes: Buffer,
) {
  const name = join(scratchDirectory(), 'hqdefault.jpg');
  writeFileSync(name, bytes);
  const form = new MultipartForm();
  form.append('file', createReadStream(name));
  // The README gives a form where the type says an object with a file.
  return file.uploadFile(path, form as unknown as FileRequest);
}

/** Every test has an account of its own at the servers that `start` gives. */
export function testPublicClient(
  where: string,
  start: (t: TestContext) => Promise<{ readonly url: string }>,
): void {
  test(`the public JavaScript client ${where}`, async parent => {
    // The client prints every refusal; what matters of it is asserted.
    parent.mock.method(console, 'error', () => {});
    const { url } = await start(parent);
    let accounts = 0;
    const newPlace = async (): Promise<Place> => {
      const place = { url, id: `client-${++accounts}`, password: 'password-of-the-client-test' };
      await createAccount(place);
      return place;
    };

    await parent.test('getToken gets a token for a day', async () => {
      const place = await newPlace();
      const answer = await authOf(place).getToken();
      assert.equal(answer.code, 'A000');
      assert.equal(answer.result, 'Success');
      assert.deepEqual(Object.keys(answer.data).toSorted(), ['expired', 'schema', 'token']);
      assert.equal(answer.data.schema, 'Bearer');
      const hours = (Date.parse(answer.data.expired) - Date.now()) / 3_600_000;
      assert.ok(hours > 23.9 && hours <= 24, answer.data.expired);
    });

    await parent.test('getToken throws A100 for a wrong password', async () => {
      const place = await newPlace();
      await assert.rejects(
        authOf({ ...place, password: 'wrong' }).getToken(),
        refusal(401, 'A100', /^Invalid authentication information$/),
      );
    });

    await parent.test(
      'every single send is accepted, and delivered where it names what is there',
      async t => {
        const omni = await clientAt(await newPlace());
        for (const [name, { serviceType, msgType, ref, send, reportCode = '10000' }] of Object.entries(
          SINGLE_SENDS,
        )) {
          await t.test(name, async () => {
            const answer = await send(omni.send);
            assert.deepEqual(answer, {
              code: 'A000',
              result: 'Success',
              msgKey: answer.msgKey,
              ...(ref !== undefined && { ref }),
            });
            const [record, ...others] = await recordsOf(omni, answer.msgKey);
            assert.deepEqual(others, []);
            assert.equal(record?.reportCode, reportCode);
            assert.deepEqual([record.serviceType, record.msgType, record.ref], [serviceType, msgType, ref]);
          });
        }
      },
    );

    await parent.test('a send throws with the code and the rule that was broken', async () => {
      const { send } = await clientAt(await newPlace());
      const tooLong = new SMSRequestBodyBuilder().setTo(TO).setFrom(FROM).setText('가'.repeat(46)).build();
      await assert.rejects(
        send.SMS(tooLong),
        refusal(400, 'A328', /"text" is longer than 90 bytes \(was 92\)/),
      );
      // The builder starts with empty strings.
      await assert.rejects(send.SMS(new SMSRequestBodyBuilder().build()), refusal(400, 'A302', /"from"/));
    });

    await parent.test(
      'every flow of a combined send is accepted, and delivered where its files are there',
      async t => {
        const omni = await clientAt(await newPlace());
        for (const [name, messageFlow] of Object.entries(FLOWS)) {
          await t.test(name, async () => {
            const request = new OMNIRequestBodyBuilder()
              .setDestinations([destination(TO), destination('01056785678')])
              .setMessageFlow(messageFlow)
              .setPaymentCode('department')
              .setRef('omni')
              .build();
            const keys = keysOf(await omni.send.OMNI(request), [TO, '01056785678'], 'omni');
            for (const key of keys) {
              const [record] = await recordsOf(omni, key);
              // The MMS names a file that was not uploaded.
              const reportCode = name === 'mms' ? '23034' : '10000';
              assert.deepEqual([record?.reportCode, record?.ref], [reportCode, 'omni']);
            }
          });
        }
      },
    );

    await parent.test('a form is registered, read, sent by, changed and deleted', async () => {
      const omni = await clientAt(await newPlace());
      const messageForm = new MessageFormBuilder().setAlimtalk(alimtalkEntry).setSMS(smsEntry).build();
      const registered = await omni.form.registForm(
        new FormRequestBodyBuilder().setMessageForm(messageForm).build(),
      );
      assert.equal(registered.code, 'A000');
      const formId = formIdOf(registered.data);

      const request = new OMNIRequestBodyBuilder()
        .setDestinations([destination(TO)])
        .setMessageForm(formId)
        .build();
      const [key = ''] = keysOf(await omni.send.OMNI(request), [TO]);
      assert.equal((await recordsOf(omni, key))[0]?.serviceType, 'ALIMTALK');

      assert.deepEqual(await entriesOf(omni, formId), messageForm);

      const changed = new MessageFormBuilder()
        .setRCS(rcsEntry)
        .setFriendtalk(FRIENDTALKS[0])
        .setMMS(mmsEntry)
        .build();
      const modified = await omni.form.modifyForm(formId, { messageForm: changed });
      assert.equal(modified.code, 'A000');
      assert.equal(formIdOf(modified.data), formId);
      assert.deepEqual(await entriesOf(omni, formId), changed);

      assert.deepEqual(await omni.form.deleteForm(formId), { code: 'A000', result: 'Success' });
      await assert.rejects(omni.form.getFormData(formId), refusal(400, 'A250', /formId/));
    });

    await parent.test('every kind of image can be uploaded', async t => {
      const omni = await clientAt(await newPlace());
      for (const { size, gives, ...path } of UPLOADS) {
        await t.test(Object.values(path).join('/'), async () => {
          const bytes = greyJpeg(size[0], size[1]);
          const { code, data } = await upload(omni, path, bytes);
          assert.equal(code, 'A000');
          assert.deepEqual(Object.keys(data).toSorted(), ['expired', 'fileKey', ...gives].toSorted());
          assert.ok(Date.parse(data.expired ?? '') > Date.now());
          if (data.media !== undefined) assert.match(data.media, /^maapfile:\/\/\S+$/);
          if (data.imgUrl !== undefined) {
            const served = await fetch(data.imgUrl);
            assert.equal(served.status, 200);
            assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes);
          }
        });
      }
    });

    await parent.test('a form of the platform can be uploaded, too', async () => {
      const { file } = await clientAt(await newPlace());
      const form = new FormData();
      form.append('file', new Blob([greyJpeg(640, 480)], { type: 'image/jpeg' }), 'image.jpg');
      const { code, data } = await file.uploadFile({ serviceType: 'MMS' }, form as unknown as FileRequest);
      assert.equal(code, 'A000');
      assert.ok(data.fileKey);
    });

    await parent.test('what was uploaded can be sent', async () => {
      const omni = await clientAt(await newPlace());
      const mms = await upload(omni, { serviceType: 'MMS' }, greyJpeg(640, 480));
      const rcsImage = await upload(omni, { serviceType: 'RCS' }, greyJpeg(568, 528));
      const friend = await upload(omni, { serviceType: 'FRIENDTALK', msgType: 'FI' }, greyJpeg(600, 400));
      const { fileKey = '' } = mms.data;
      const { media = '' } = rcsImage.data;
      const { imgUrl = '' } = friend.data;
      const standalone = new StandaloneContentBuilder()
        .setTitle('제목')
        .setText('내용')
        .setMedia(media)
        .build();
      const content = new RCSContentBuilder().setStandaloneContent(standalone).build();
      const answers = [
        await omni.send.MMS({ from: FROM, to: TO, text: '내용', fileKey: [fileKey] }),
        await omni.send.RCS(rcs('SMwThT00').setContent(content).build()),
        await omni.send.Friendtalk({ senderKey: 'key', msgType: 'FI', to: TO, text: '내용', imgUrl }),
      ];
      const types: (string | undefined)[] = [];
      for (const { msgKey } of answers) types.push((await recordsOf(omni, msgKey))[0]?.msgType);
      assert.deepEqual(types, ['MM', 'RM', 'FI']);
    });

    await parent.test('an upload that is no image throws A202', async () => {
      const omni = await clientAt(await newPlace());
      await assert.rejects(
        upload(omni, { serviceType: 'MMS' }, Buffer.from('no image')),
        refusal(400, 'A202', /./),
      );
    });

    await parent.test('reports are polled, come back until they are deleted, and are then gone', async () => {
      const omni = await clientAt(await newPlace());
      assert.deepEqual(await omni.polling.getReport(), {
        code: 'A000',
        result: 'Success',
        data: { reportId: '', report: null },
      });
      const { msgKey } = await omni.send.SMS({ from: FROM, to: TO, text: 'hello', ref: 'polled' });
      await recordsOf(omni, msgKey);
      const polled = await omni.polling.getReport();
      const [record] = polled.data.report;
      assert.equal(polled.data.report.length, 1);
      assert.deepEqual([record?.msgKey, record?.reportCode, record?.ref], [msgKey, '10000', 'polled']);
      assert.deepEqual(await omni.polling.getReport(), polled);

      const { reportId } = polled.data;
      assert.deepEqual(await omni.polling.deleteReport(reportId), { code: 'A000', result: 'Success' });
      assert.equal((await omni.polling.getReport()).data.reportId, '');
      await assert.rejects(omni.polling.deleteReport(reportId), refusal(400, 'A805', /Report ID/));
    });

    await parent.test('a fallback shows both records in their order', async () => {
      const omni = await clientAt(await newPlace());
      const content = new RCSContentBuilder()
        .setStandaloneContent(new StandaloneContentBuilder().setText('내용').build())
        .build();
      const request = rcs('SS000000').setTo('01012340002').setContent(content).setFallback(fallback).build();
      const { msgKey } = await omni.send.RCS(request);
      const records = await until('both records are there', async () => {
        const { data } = await omni.report.getDetailReport(msgKey);
        return data.report.length === 2 && data.report;
      });
      assert.deepEqual(
        records.map(({ serviceType, reportCode }) => [serviceType, reportCode]),
        [
          ['RCS', '33101'],
          // Its file was not uploaded.
          ['MMS', '23034'],
        ],
      );
    });
  });
}
