/**
 * Spans of OpenTelemetry. Without an SDK, which whoever runs the gateway may load, there are none, and the trace
 * of a client is passed on as it came. Attributes never hold texts or numbers of recipients.
 */
import {
  type Attributes,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** `accept` answers a client; the others call somebody. */
const KINDS = { accept: SpanKind.SERVER, submit: SpanKind.CLIENT, webhook: SpanKind.CLIENT };

export interface RunningSpan {
  /** Names this span, to whoever continues the trace. */
  readonly traceparent: string | undefined;
  /** `failure`: in one word. */
  end(failure: string | undefined): void;
}

const NAME = 'bongsu';
const NOT_TRACED: RunningSpan = { traceparent: undefined, end: () => {} };

/** `parent`: the traceparent of what it belongs to. */
export function startSpan(
  name: keyof typeof KINDS,
  parent: string | undefined,
  attributes: Attributes,
): RunningSpan {
  const tracer = tracerOfSdk();
  if (!tracer) return parent === undefined ? NOT_TRACED : { ...NOT_TRACED, traceparent: parent };
  const around = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
  const span = tracer.startSpan(name, { kind: KINDS[name], attributes }, around);
  const own = span.spanContext();
  return {
    traceparent: isSpanContextValid(own) ? traceparentOf(own) : parent,
    end(failure) {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  };
}

/** While no SDK has registered itself, all there is is a proxy for it. */
function tracerOfSdk(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(NAME)
    : provider.getTracer(NAME);
}

function contextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
