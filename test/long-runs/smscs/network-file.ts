/** The bongsu.yaml of the nodes, with all carriers or without the narrow one. */
import type { CarrierName } from './carrier-fates.ts';

/** First digit of the recipient's number for each preferred carrier. */
export const HEADS: Readonly<Record<CarrierName, string>> = { quick: '1', slow: '2', narrow: '3' };
export const DOMESTIC = '010';
export const ABROAD = '+1212';

const CARRIER_SETTINGS = 'window: 20, responseTimeout: 3s, bindTimeout: 3s, enquireLink: 3s';

export function networkFile(
  ports: Readonly<Record<CarrierName, number>>,
  carriers: readonly CarrierName[],
): string {
  const stated = carriers.map(
    name =>
      `  ${name}: { kind: smpp, host: 127.0.0.1, port: ${ports[name]}, systemId: chaos, ${CARRIER_SETTINGS} }`,
  );
  const routes = Object.entries(HEADS).flatMap(([name, head]) => {
    const via = [...new Set([name, 'quick'])].filter(each => carriers.some(carrier => carrier === each));
    return [
      `  - { channel: sms, prefix: ["${DOMESTIC}${head}"], via: [${via.join(', ')}] }`,
      `  - { channel: international, prefix: ["${ABROAD}${head}"], via: [${via.join(', ')}] }`,
    ];
  });
  return ['carriers:', ...stated, 'routes:', ...routes, ''].join('\n');
}
