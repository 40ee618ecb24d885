import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Log } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { version } from '../version.ts';
import { type Attributes, type FinishedSpan, Span, type spanKinds } from './span.ts';

/** More spans than these that wait are dropped, so that a collector that does not answer costs no memory. */
const maxWaiting = 8_192;
const batchSize = 512;
const pauseMs = 2_000;
const timeoutMs = 10_000;
const warningPauseMs = 60_000;

/** Sends spans to an OpenTelemetry collector (OTLP over HTTP, as JSON). */
export class Tracer {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #share: number;
  readonly #resource: Attributes;
  readonly #log: Log;
  #waiting: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  private constructor(url: string, { otelExporterOtlpHeaders, tracePercent, ringName }: Config, log: Log) {
    this.#url = `${url.replace(/\/$/, '')}/v1/traces`;
    this.#headers = { ...otelExporterOtlpHeaders, 'content-type': 'application/json' };
    this.#share = tracePercent / 100;
    this.#log = log;
    this.#resource = {
      'service.name': 'chowk',
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'chowk.ring': ringName,
    };
  }

  /** `undefined` unless an endpoint is configured. */
  static create(config: Config, log: Log): Tracer | undefined {
    return config.otelExporterOtlpEndpoint === undefined
      ? undefined
      : new Tracer(config.otelExporterOtlpEndpoint, config, log);
  }

  /** Begins a trace, or continues that of a `traceparent` header; `undefined` if this one is not among those that are sent. */
  begin(name: string, kind: keyof typeof spanKinds, attributes: Attributes, traceparent?: unknown): Span | undefined {
    const { traceId = randomBytes(16).toString('hex'), parentSpanId } = readTraceparent(traceparent) ?? {};
    // By the trace, so that all services with the same share decide alike.
    if (Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 >= this.#share) return undefined;
    return new Span({ traceId, parentSpanId, name, kind, attributes, onEnd: (span) => this.#add(span) });
  }

  /** Sends what waits, for two seconds at most. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.race([this.#flush(), new Promise((resolve) => setTimeout(resolve, pauseMs).unref())]);
    clearTimeout(this.#timer);
  }

  #add(span: FinishedSpan): void {
    if (this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(span);
    if (this.#waiting.length >= batchSize) void this.#flush();
    this.#timer ??= setTimeout(() => void this.#flush(), pauseMs).unref();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      try {
        const body = JSON.stringify(describe(batch, this.#resource));
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await fetch(this.#url, { method: 'POST', headers: this.#headers, body, signal });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`it answered with the status ${response.status}`);
      } catch (err) {
        if (performance.now() - this.#warnedAt < warningPauseMs) continue;
        this.#warnedAt = performance.now();
        this.#log.warn(
          { err, url: this.#url, spans: batch.length },
          'traces are lost: the collector cannot be reached',
        );
      }
    }
  }
}

/** The header of the W3C recommendation Trace Context. */
function readTraceparent(header: unknown): { traceId: string; parentSpanId: string } | undefined {
  const found = typeof header === 'string' ? /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header) : null;
  const [, traceId = '', parentSpanId = ''] = found ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentSpanId) ? { traceId, parentSpanId } : undefined;
}

function describe(spans: readonly FinishedSpan[], resource: Attributes): object {
  const scopeSpans = [{ scope: { name: 'chowk', version }, spans: spans.map(describeSpan) }];
  return { resourceSpans: [{ resource: { attributes: describeAttributes(resource) }, scopeSpans }] };
}

function describeSpan({ start, end, attributes, failure, ...span }: FinishedSpan): object {
  return {
    ...span,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: describeAttributes(attributes),
    status: failure === undefined ? {} : { code: 2, message: failure },
  };
}

function describeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: describeValue(value) }],
  );
}

function describeValue(value: string | number | boolean): object {
  if (typeof value === 'boolean') return { boolValue: value };
  return typeof value === 'number' ? { doubleValue: value } : { stringValue: value };
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n);
}
