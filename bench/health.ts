import { setTimeout as delay } from 'node:timers/promises';

const timeoutMs = 60_000;

/** Resolves when `/api/health` responds with 200. */
export async function waitUntilHealthy(port: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await delay(10);
  }
  throw new Error(`/api/health on port ${port} did not respond with 200 within ${timeoutMs / 1_000} s`);
}
