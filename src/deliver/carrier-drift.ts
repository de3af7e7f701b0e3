/** Whether the living nodes agree about a carrier. They may not for a while, in a rolling change; it is shown, not acted on. */
import type { LiveNode } from '../store/store.ts';

/** What is different elsewhere, for people; undefined where all nodes run the carrier with the same settings. */
export function driftOf(carrier: string, node: string, nodes: readonly LiveNode[]): string | undefined {
  const fingerprintOn = ({ profile }: LiveNode) =>
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

function namesOf(nodes: readonly LiveNode[]): string {
  return nodes.map(({ node }) => node).join(', ');
}
