import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FigureSample } from '@chowk/kit/kernel';

const sampleSeconds = 10;
/** Half an hour. */
const maxSamples = 180;

type Gauges = Pick<FigureSample, 'busy_connections' | 'waiting' | 'sockets'>;

/** The latest figures of a process that serves requests. Prometheus keeps longer ones, from `/metrics`. */
export class Figures {
  readonly seconds = sampleSeconds;
  readonly samples: FigureSample[] = [];
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  #timer: NodeJS.Timeout | undefined;
  #requests = 0;
  #errors = 0;
  #durationMs = 0;

  count(status: number, durationMs: number): void {
    this.#requests += 1;
    this.#durationMs += durationMs;
    if (status >= 500) this.#errors += 1;
  }

  start(read: () => Gauges): void {
    this.#delay.enable();
    this.#timer = setInterval(() => this.sample(read()), sampleSeconds * 1_000);
    this.#timer.unref();
    this.sample(read());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  sample(gauges: Gauges): void {
    this.samples.push({
      at: new Date().toISOString(),
      requests: this.#requests,
      errors: this.#errors,
      duration_ms: this.#requests === 0 ? 0 : Math.round((this.#durationMs / this.#requests) * 10) / 10,
      delay_ms: Math.round(this.#delay.max / 1e5) / 10,
      memory_bytes: process.memoryUsage.rss(),
      ...gauges,
    });
    if (this.samples.length > maxSamples) this.samples.shift();
    this.#requests = 0;
    this.#errors = 0;
    this.#durationMs = 0;
    this.#delay.reset();
  }
}
