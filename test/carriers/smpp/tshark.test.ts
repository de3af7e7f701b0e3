/** What we write, as Wireshark reads it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { alphabetsOf } from '../../../src/carriers/smpp/alphabets.ts';
import { encodeSubmit } from '../../../src/carriers/smpp/encode.ts';
import { PduWriter } from '../../../src/carriers/smpp/pdu-writer.ts';
import { type LongMessages, TextEncoding } from '../../../src/carriers/smpp/text-parts.ts';
import { unlessInstalled } from '../../harness/debian.ts';
import { readWithTshark } from './tshark.ts';

const skip = unlessInstalled('tshark', 'text2pcap');

function encoded(longMessages: LongMessages, ...texts: string[]): Buffer[] {
  const texting = new TextEncoding(
    alphabetsOf({ dataCoding0: 'gsm', korean: 'ucs2', cp949DataCoding: 14 }),
    longMessages,
  );
  const writer = new PduWriter();
  let sequence = 1;
  return texts.flatMap((text, message) =>
    (texting.split(text, () => 0x1230 + message) ?? []).map(({ esmClass, ...part }) => {
      const fields = {
        command: 'submitSm',
        status: 0,
        serviceType: 'CMT',
        source: { ton: 5, npi: 0, digits: 'Bongsu' },
        destination: { ton: 1, npi: 1, digits: '14155550123' },
        esmClass,
        protocolId: 0,
        priority: 0,
        scheduleTime: '',
        validity: '000001010000000R',
        registeredDelivery: 1,
        replaceIfPresent: 0,
        defaultMessageId: 0,
        ...part,
      } as const;
      encodeSubmit(writer, fields, sequence++);
      return writer.take();
    }),
  );
}

test('tshark reads the fields of a submit', { skip }, () => {
  const [submit] = readWithTshark(encoded('udh', 'hello'), [
    'smpp.command_id',
    'smpp.service_type',
    'smpp.source_addr_ton',
    'smpp.source_addr',
    'smpp.dest_addr_ton',
    'smpp.dest_addr_npi',
    'smpp.destination_addr',
    'smpp.regdel.receipt',
    'smpp.sm_length',
  ]);
  assert.deepEqual(submit, {
    'smpp.command_id': '0x00000004',
    'smpp.service_type': 'CMT',
    'smpp.source_addr_ton': '0x05',
    'smpp.source_addr': 'Bongsu',
    'smpp.dest_addr_ton': '0x01',
    'smpp.dest_addr_npi': '0x01',
    'smpp.destination_addr': '14155550123',
    'smpp.regdel.receipt': '0x01',
    'smpp.sm_length': '5',
  });
});

test('tshark reads the texts, and what they are coded in', { skip }, () => {
  const gsm = '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà^{}\\[~]|€';
  const texts = ['hello @ €[]', gsm, '안녕하세요, 봉수입니다.'];
  const read = readWithTshark(encoded('udh', ...texts), ['smpp.data_coding', 'smpp.message_text']);
  assert.deepEqual(
    read.map(fields => [fields['smpp.data_coding'], fields['smpp.message_text']]),
    [
      ['0x00', texts[0]],
      ['0x00', texts[1]],
      ['0x08', texts[2]],
    ],
  );
});

for (const text of [`${'a'.repeat(152)}€${'b'.repeat(200)}`, `${'가'.repeat(67)}${'나'.repeat(80)}`]) {
  test(`tshark joins the parts of ${text.length} units again`, { skip }, () => {
    const parts = readParts(encoded('udh', text));
    assert.ok(parts.length > 1);
    assert.equal(parts.map(({ text: part }) => part).join(''), text);
    assert.deepEqual(
      parts.map(({ number, total, id }) => [number, total, id]),
      parts.map((_, index) => [index + 1, parts.length, 0x30]),
    );
    assert.equal(parts.at(-1)?.fragments, parts.length);
  });
}

test('tshark reads SAR parameters and a payload', { skip }, () => {
  const sar = readWithTshark(encoded('sar', 'a'.repeat(200)), [
    'smpp.sar_msg_ref_num',
    'smpp.sar_total_segments',
    'smpp.sar_segment_seqnum',
  ]);
  assert.deepEqual(
    sar.map(fields => Object.values(fields).map(Number)),
    [
      [0x1230, 2, 1],
      [0x1230, 2, 2],
    ],
  );
  const [payload] = readWithTshark(encoded('payload', 'a'.repeat(200)), [
    'smpp.message_payload',
    'smpp.sm_length',
  ]);
  assert.equal(payload?.['smpp.message_payload']?.replaceAll(':', ''), '61'.repeat(200));
  assert.equal(payload?.['smpp.sm_length'], '0');
});

function readParts(pdus: readonly Buffer[]) {
  const fields = [
    'smpp.message_text',
    'gsm_sms.udh.mm.msg_id',
    'gsm_sms.udh.mm.msg_parts',
    'gsm_sms.udh.mm.msg_part',
    'gsm_sms_ud.fragment.count',
  ] as const;
  return readWithTshark(pdus, fields).map(read => ({
    text: read['smpp.message_text'],
    id: Number(read['gsm_sms.udh.mm.msg_id']),
    total: Number(read['gsm_sms.udh.mm.msg_parts']),
    number: Number(read['gsm_sms.udh.mm.msg_part']),
    fragments: Number(read['gsm_sms_ud.fragment.count']),
  }));
}
