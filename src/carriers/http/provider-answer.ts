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

/** Numbers that would lose digits stay as they are written: ids of 64 bits are common. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, exactly as (name: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

function exactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;
}
