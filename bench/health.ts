import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 60_000;

/** Settles when `/api/health` answers 200. */
export async function awaitHealth(port: number): Promise<void> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await pause(10);
  }
  throw new Error(`no health on port ${port} after ${patienceMs / 1_000} s`);
}
