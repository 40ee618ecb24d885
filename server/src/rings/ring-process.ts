import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log, MaybePromise } from '@chowk/kit/kernel';
import { maxWaitMs } from './ring-forwarder.ts';

/** What the process of a ring reports to the front when it listens. */
export interface RingReport {
  readonly url: string;
  /** Lines for the operator. */
  readonly greeting: readonly string[];
}

interface RingProcessOptions {
  readonly ring: string;
  readonly launch: () => ChildProcess;
  readonly log: Log;
  readonly onReady: (report: RingReport) => void;
  /** Called when no further request may be sent to the process at this URL. */
  readonly onRetired: (url: string) => void;
}

/** In milliseconds, before each further attempt to start a process that dies; the last one repeats. */
const restartDelaysMs = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;
/** A process that has served this long has started well. */
const stableAfterMs = 60_000;
/** A process that is not ready then is killed. As long as `ring:reload` waits. */
const startLimitMs = 5 * 60_000;

/** The process of one ring: started again when it dies, and replaced on request. */
export class RingProcess {
  readonly #options: RingProcessOptions;
  readonly #children = new Set<ChildProcess>();
  readonly #stopping = new AbortController();
  #serving: { readonly child: ChildProcess; readonly url: string; readonly since: number } | undefined;
  #starting: { readonly child: ChildProcess; readonly outcome: PromiseWithResolvers<boolean> } | undefined;
  #ready = Promise.withResolvers<void>();
  #restarts = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  #startTimer: NodeJS.Timeout | undefined;

  constructor(options: RingProcessOptions) {
    this.#options = options;
  }

  /**
   * Starts a process. One that serves is stopped when the new one is ready, and goes on if it does not start. Resolves to
   * whether the new one, or one that is starting already, is ready.
   */
  start(): Promise<boolean> {
    if (this.#starting) return this.#starting.outcome.promise;
    if (this.#stopping.signal.aborted) return Promise.resolve(false);
    clearTimeout(this.#restartTimer);
    const child = this.#options.launch();
    const outcome = Promise.withResolvers<boolean>();
    this.#starting = { child, outcome };
    this.#children.add(child);
    this.#startTimer = setTimeout(() => {
      const { ring, log } = this.#options;
      log.error({ ring }, `the process of the ring ${ring} was not ready within ${startLimitMs / 60_000} minutes`);
      child.kill('SIGKILL');
    }, startLimitMs);
    child.on('message', (report) => this.#use(child, report as RingReport));
    // Not `close`, which Node does not emit after `disconnect`.
    child.once('exit', (code, signal) => this.#onExit(child, { code, signal }));
    // It could not be started at all.
    child.once('error', (error) => {
      this.#options.log.error({ err: error }, 'cannot start a process');
      this.#onExit(child, { code: null, signal: null });
    });
    return outcome.promise;
  }

  /** The URL of the process that serves, as soon as there is one; `undefined` if there is none for a while. */
  findUrl(): MaybePromise<string | undefined> {
    if (this.#serving) return this.#serving.url;
    const { signal } = this.#stopping;
    return Promise.race([this.#ready.promise, pause(maxWaitMs, undefined, { ref: false, signal })]).then(
      () => this.#serving?.url,
      () => undefined,
    );
  }

  /** Resolves when a process serves. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Lets the processes finish their requests, and waits until they have exited. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#restartTimer);
    for (const child of this.#children) stopChild(child);
    await Promise.all([...this.#children].map((child) => new Promise((resolve) => child.once('exit', resolve))));
  }

  kill(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #use(child: ChildProcess, report: RingReport): void {
    const previous = this.#serving;
    this.#serving = { child, url: report.url, since: performance.now() };
    this.#finishStart(true);
    this.#ready.resolve();
    this.#options.onReady(report);
    if (!previous) return;
    this.#options.onRetired(previous.url);
    stopChild(previous.child);
  }

  #onExit(child: ChildProcess, exit: { code: number | null; signal: string | null }): void {
    const { ring, log, onRetired } = this.#options;
    this.#children.delete(child);
    const { code, signal } = exit;
    const wasServing = this.#serving?.child === child;
    const wasStarting = this.#starting?.child === child;
    if (!wasServing && !wasStarting) return;
    if (wasStarting) this.#finishStart(false);
    if (wasServing && this.#serving) {
      if (performance.now() - this.#serving.since >= stableAfterMs) this.#restarts = 0;
      onRetired(this.#serving.url);
      this.#serving = undefined;
      this.#ready = Promise.withResolvers();
    }
    if (this.#stopping.signal.aborted) return;
    log.error({ ring, code, signal }, `the process of the ring ${ring} has ended`);
    if (this.#serving) log.error({ ring }, `the earlier process of the ring ${ring} goes on`);
    else if (!this.#starting) this.#restart();
  }

  #finishStart(isReady: boolean): void {
    clearTimeout(this.#startTimer);
    this.#starting?.outcome.resolve(isReady);
    this.#starting = undefined;
  }

  #restart(): void {
    const delayMs = restartDelaysMs[Math.min(this.#restarts, restartDelaysMs.length - 1)];
    this.#restarts += 1;
    this.#restartTimer = setTimeout(() => void this.start(), delayMs);
  }
}

/** Starts `chowkd serve` for a ring, with a channel to this process. */
export function launchRing(program: string, environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, program, 'serve', '--no-build', '--ring-process'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** The process of a ring stops when its channel to the front is closed, also because the front has died. */
function stopChild(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}

/** The front, for the process of a ring. */
export interface Front {
  report(report: RingReport): void;
  /** Resolves when this process is to stop. Signals have no effect: a terminal sends them to all processes at once. */
  readonly stopped: Promise<string>;
}

export function connectFront(): Front {
  if (!process.send) throw new Error('--ring-process is for processes that a front starts; leave it out');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  const stopped = new Promise<string>((resolve) => process.once('disconnect', () => resolve('stop')));
  // A process whose start fails ends at once.
  process.channel?.unref();
  return { stopped, report: (report) => void process.send?.(report) };
}
