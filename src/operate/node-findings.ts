/** What `doctor` finds about the nodes: those that do not send, and settings in which they differ. */
import type { Drift, NodeLine } from '../operations/nodes.ts';
import { type CheckResult, MOST_LISTED, problem, warning } from './finding.ts';

export function nodeName(node: string, host: string | null): string {
  return host === null ? node : `${node} on ${host}`;
}

export function nodeFindings(
  { node, host, state, since }: NodeLine,
  isAnySending: boolean,
): readonly CheckResult[] {
  const name = nodeName(node, host);
  const context = { about: node, since };
  if (state === 'gone') {
    return [
      warning(
        `The node ${name} has stopped reporting`,
        'Start it again under the same name, or remove it with "bongsu node forget". Other nodes take over its messages.',
        context,
      ),
    ];
  }
  if (state === 'running') return [];
  const advice = 'Stop it, or resume it with "bongsu node resume".';
  return [
    isAnySending
      ? warning(`The node ${name} is ${state}`, advice, context)
      : problem(`The node ${name} is ${state}`, advice, { ...context, effect: 'nothing is sent' }),
  ];
}

export function driftFinding({ kind, name, groups }: Drift): CheckResult {
  const shown = groups.map(group => group.slice(0, MOST_LISTED).join(', ')).join(' | ');
  return warning(
    `The nodes differ in ${name === '' ? kind : `${kind} ${name}`}: ${shown}`,
    'Give all of them the same environment and bongsu.yaml, and reload or restart them.',
  );
}
