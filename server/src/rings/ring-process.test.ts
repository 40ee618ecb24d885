import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Log } from '@chowk/kit/kernel';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RingProcess } from './ring-process.ts';

class FakeChild extends EventEmitter {
  connected = true;
  readonly at = performance.now();

  ready(): void {
    this.emit('message', { url: `http://127.0.0.1:${children.indexOf(this) + 1}`, greeting: [] });
  }

  disconnect(): void {
    this.connected = false;
    this.emit('exit', 0, null);
  }

  kill(signal: string): void {
    this.emit('exit', null, signal);
  }
}

let children: FakeChild[] = [];
const seconds = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  children = [];
});
// Files share their process.
afterEach(() => void vi.useRealTimers());

function ringProcess() {
  const error = vi.fn();
  const ring = new RingProcess({
    ring: 'edge',
    launch: () => {
      const child = new FakeChild();
      children.push(child);
      return child as unknown as ChildProcess;
    },
    log: { error } as unknown as Log,
    onReady: () => {},
    onRetired: () => {},
  });
  return { ring, error };
}

const newest = () => children.at(-1) as FakeChild;
/** The time between the end of the newest process and the start of the next. */
async function delayOfRestart(): Promise<number> {
  const [endedAt, count] = [performance.now(), children.length];
  while (children.length === count) await vi.advanceTimersToNextTimerAsync();
  return newest().at - endedAt;
}

test('a process that dies at its start is started again after growing delays, until it has served for a minute', async () => {
  const { ring } = ringProcess();
  void ring.start();
  const delays: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    newest().emit('exit', 1, null);
    delays.push(await delayOfRestart());
  }
  expect(delays).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  newest().ready();
  await vi.advanceTimersByTimeAsync(59 * seconds);
  newest().emit('exit', 1, null);
  expect(await delayOfRestart()).toBe(30_000);
  newest().ready();
  await vi.advanceTimersByTimeAsync(60 * seconds);
  newest().emit('exit', 1, null);
  expect(await delayOfRestart()).toBe(0);
});

test('a process that hangs at its start is killed after five minutes, and started again after growing delays', async () => {
  const { ring, error } = ringProcess();
  void ring.start();
  const delays: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const hanging = newest();
    const ended = new Promise((resolve) => hanging.once('exit', (_, signal) => resolve(signal)));
    await vi.advanceTimersByTimeAsync(299 * seconds);
    expect(newest()).toBe(hanging);
    await vi.advanceTimersByTimeAsync(1 * seconds);
    expect(await ended).toBe('SIGKILL');
    if (newest() === hanging) delays.push(await delayOfRestart());
    else delays.push(newest().at - hanging.at - 300 * seconds);
  }
  // A timer without a delay takes a millisecond.
  expect(delays).toEqual([1, 500, 1_000]);
  expect(error).toHaveBeenCalledWith({ ring: 'edge' }, expect.stringMatching(/not ready within 5 minutes/));
  newest().ready();
  await vi.advanceTimersByTimeAsync(3_600 * seconds);
  expect(newest().connected).toBe(true);
  expect(children).toHaveLength(4);
});

test('a replacement that hangs is killed, and the earlier process goes on', async () => {
  const { ring } = ringProcess();
  void ring.start();
  newest().ready();
  const replaced = ring.start();
  await vi.advanceTimersByTimeAsync(400 * seconds);
  expect(await replaced).toBe(false);
  expect(ring.findUrl()).toBe('http://127.0.0.1:1');
  expect(children).toHaveLength(2);
  const again = ring.start();
  newest().ready();
  expect(await again).toBe(true);
  expect(ring.findUrl()).toBe('http://127.0.0.1:3');
  expect(children[0]?.connected).toBe(false);
});

test('a process that is stopped while it waits for its next start stays stopped', async () => {
  const { ring } = ringProcess();
  void ring.start();
  newest().emit('exit', 1, null);
  await ring.stop();
  await vi.advanceTimersByTimeAsync(400 * seconds);
  expect(children).toHaveLength(1);
});
