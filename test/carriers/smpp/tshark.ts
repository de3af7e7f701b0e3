/** Wireshark's decoder as an independent reader of our PDUs. It needs no capture: the packets are made from octets. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../../harness/scratch.ts';

/** The named fields of each PDU; what a PDU does not have is ''. */
export function readWithTshark<const Field extends string>(
  pdus: readonly Buffer[],
  fields: readonly Field[],
): Readonly<Record<Field, string>>[] {
  const directory = scratchDirectory();
  const [dump, capture] = [join(directory, 'pdus.txt'), join(directory, 'pdus.pcap')];
  writeFileSync(dump, pdus.map(hexDump).join('\n'));
  execFileSync('text2pcap', ['-q', '-T', '40000,2775', dump, capture], { stdio: 'ignore' });
  const output = execFileSync(
    'tshark',
    [
      ...['-r', capture, '-d', 'tcp.port==2775,smpp', '-o', 'smpp.decode_sms_over_smpp:GSM 7-bit'],
      ...['-T', 'json', ...fields.flatMap(field => ['-e', field])],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 },
  );
  const packets: { _source: { layers: Record<string, string[]> } }[] = JSON.parse(output);
  return packets.map(({ _source: { layers } }) => {
    const entries = fields.map(field => [field, layers[field]?.join() ?? '']);
    return Object.fromEntries(entries) as Record<Field, string>;
  });
}

function hexDump(bytes: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const octets = [...bytes.subarray(at, at + 16)].map(octet => octet.toString(16).padStart(2, '0'));
    lines.push(`${at.toString(16).padStart(6, '0')} ${octets.join(' ')}`);
  }
  return `${lines.join('\n')}\n`;
}
