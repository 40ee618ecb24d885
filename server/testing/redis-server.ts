import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import { freePort } from '../src/free-port.ts';

export interface RedisServer {
  readonly url: string;
  /** Starts it without data. */
  start(): Promise<void>;
  /** Kills it, as a crash would. */
  stop(): Promise<void>;
}

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) {
  process.stderr.write(
    'redis-server is not installed (apt-get install redis-server): skipping the tests that need it\n',
  );
}

/** A Redis server on a free port, not yet started. Stopped after the test. */
export async function redisServer(): Promise<RedisServer> {
  const port = await freePort();
  let stop = async () => {};
  onTestFinished(() => stop());
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()];
      const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
      stop = async () => {
        const exited = once(child, 'exit');
        if (child.kill('SIGKILL')) await exited;
        stop = async () => {};
      };
      for await (const text of child.stdout)
        if (/Ready to accept connections/.test(String(text))) return void child.stdout.resume();
      throw new Error('redis-server did not start');
    },
    stop: () => stop(),
  };
}
