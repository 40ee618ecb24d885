import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadMail } from '@chowk/kit/kernel';
import { spawnLimited } from '../limited-process.ts';

const program = join(import.meta.dirname, 'mail-process.ts');
const maxMegabytes = 1_000;
const maxSeconds = 15;
/** More would take the processors from other requests. */
const maxProcesses = 2;
const idleSeconds = 60;
/** The headers of a mail that cannot be read are in these. */
const headBytes = 100_000;

interface Slot {
  child: ChildProcess | undefined;
  idle: NodeJS.Timeout | undefined;
}

const unreadable: ReadMail = {
  isComplete: false,
  headers: [],
  from: null,
  subject: '',
  text: '',
  html: null,
  attachments: [],
  omittedCount: 0,
};

/**
 * Reads mails in child processes with limits on time and memory. A process reads many mails, because starting it takes longer; one
 * that a mail ends is replaced.
 */
export class MailReader {
  readonly #slots: Slot[] = Array.from({ length: maxProcesses }, () => ({ child: undefined, idle: undefined }));
  readonly #free = [...this.#slots];
  readonly #waiting: ((slot: Slot) => void)[] = [];

  /** The content of a stream is read when it is its turn. */
  async read(content: Uint8Array | Readable): Promise<ReadMail> {
    const slot = this.#free.pop() ?? (await new Promise<Slot>((resolve) => this.#waiting.push(resolve)));
    try {
      const mail = content instanceof Uint8Array ? content : await buffer(content);
      const result = await ask(slot, mail, false);
      return result ?? (await ask(slot, mail.subarray(0, headBytes), true)) ?? unreadable;
    } finally {
      const next = this.#waiting.shift();
      if (next) next(slot);
      else this.#free.push(slot);
    }
  }

  close(): void {
    for (const slot of this.#slots) end(slot);
  }
}

/** `undefined` if the process has ended or taken too long. */
async function ask(slot: Slot, mail: Uint8Array, headersOnly: boolean): Promise<ReadMail | undefined> {
  clearTimeout(slot.idle);
  slot.child ??= start();
  const { child } = slot;
  child.ref();
  child.channel?.ref();
  const stop = new AbortController();
  const timer = setTimeout(() => end(slot), maxSeconds * 1_000);
  try {
    const answer = once(child, 'message', { signal: stop.signal }).then(([message]) => message as ReadMail);
    const ended = once(child, 'exit', { signal: stop.signal }).then(() => end(slot));
    // Fails if the process is ending, which `exit` reports.
    child.send({ mail, headersOnly }, () => {});
    return (await Promise.race([answer, ended])) ?? undefined;
  } finally {
    stop.abort();
    clearTimeout(timer);
    child.unref();
    child.channel?.unref();
    slot.idle = setTimeout(() => end(slot), idleSeconds * 1_000).unref();
  }
}

function start(): ChildProcess {
  const child = spawnLimited(program, { args: [], maxMegabytes });
  child.stdin?.end();
  return child;
}

function end(slot: Slot): void {
  clearTimeout(slot.idle);
  slot.child?.kill('SIGKILL');
  slot.child = undefined;
}
