/** A provider's answer with its body read as far as it can be. */
import type { OutboundAnswer } from '../../platform/outbound.ts';

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** undefined when the body is no JSON. */
  readonly json: unknown;
}

export function providerAnswer(answer: OutboundAnswer & { readonly kind: 'answered' }): ProviderAnswer {
  const { status, headers, body } = answer;
  return { status, headers, text: body, json: parseJson(body) };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
