import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** As OpenTelemetry numbers them. */
export const spanKinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const;

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Since 1970, in milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  /** The code or the class of the error that ended it; its message may hold values. */
  readonly failure: string | undefined;
}

interface Beginning {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: keyof typeof spanKinds;
  readonly attributes: Attributes;
  readonly onEnd: (span: FinishedSpan) => void;
}

const current = new AsyncLocalStorage<Span>();

/** A part of a trace that has begun. */
export class Span {
  readonly #beginning: Beginning;
  readonly #id = randomBytes(8).toString('hex');
  readonly #start = now();

  constructor(beginning: Beginning) {
    this.#beginning = beginning;
  }

  /** Spans that begin in `work`, and in what it starts, are parts of this one. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  begin(name: string, kind: keyof typeof spanKinds, attributes: Attributes): Span {
    const { traceId, onEnd } = this.#beginning;
    return new Span({ traceId, parentSpanId: this.#id, name, kind, attributes, onEnd });
  }

  end(error?: unknown, more: Attributes = {}, name = this.#beginning.name): void {
    const { traceId, parentSpanId, kind, attributes, onEnd } = this.#beginning;
    onEnd({
      traceId,
      spanId: this.#id,
      parentSpanId,
      name,
      kind: spanKinds[kind],
      start: this.#start,
      end: now(),
      attributes: { ...attributes, ...more },
      failure: error === undefined ? undefined : describeError(error),
    });
  }
}

/** Begins a part of the current span; `undefined` if the request or the task is not traced. */
export function beginSpan(name: string, kind: keyof typeof spanKinds, attributes: () => Attributes): Span | undefined {
  const parent = current.getStore();
  return parent?.begin(name, kind, attributes());
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
