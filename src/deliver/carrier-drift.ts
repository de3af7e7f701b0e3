/** Whether the living nodes agree about a carrier. They may not for a while, in a rolling change; it is shown, not acted on. */
import type { NamedNode } from './node-names.ts';

/** What is different elsewhere, for people; undefined where all nodes run the carrier with the same settings. */
export function driftOf(carrier: string, node: string, nodes: readonly NamedNode[]): string | undefined {
  const fingerprintOn = ({ profile }: NamedNode) =>
    profile.carriers.find(({ name }) => name === carrier)?.fingerprint;
  const own = nodes.find(each => each.node === node);
  if (!own) return undefined;
  const others = nodes.filter(each => each !== own);
  const without = others.filter(each => fingerprintOn(each) === undefined);
  const unlike = others.filter(each => {
    const fingerprint = fingerprintOn(each);
    return fingerprint !== undefined && fingerprint !== fingerprintOn(own);
  });
  const parts = [
    without.length > 0 && `not configured on ${namesOf(without)}`,
    unlike.length > 0 && `other settings on ${namesOf(unlike)}`,
  ].filter(part => part !== false);
  return parts.length > 0 ? parts.join('; ') : undefined;
}

function namesOf(nodes: readonly NamedNode[]): string {
  return nodes.map(({ name }) => name).join(', ');
}
