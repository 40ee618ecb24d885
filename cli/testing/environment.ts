import { Readable } from 'node:stream';
import { type Environment, processEnvironment } from '../src/environment.ts';

interface TestOptions extends Partial<Pick<Environment, 'variables' | 'configFolder' | 'fetch'>> {
  readonly columns?: number;
  readonly isTerminal?: boolean;
  readonly input?: string;
  readonly now?: Date;
}

/** An environment that keeps what a command writes. */
export function testEnvironment({ columns = 80, isTerminal = false, input = '', now, ...parts }: TestOptions = {}) {
  const output = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return {
      isTerminal,
      columns,
      write(data: string | Uint8Array) {
        output[name] += typeof data === 'string' ? data : decoder.decode(data, { stream: true });
      },
    };
  };
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTerminal: false });
  const environment: Environment = {
    ...processEnvironment(),
    variables: {},
    ...parts,
    stdin,
    stdout: stream('out'),
    stderr: stream('err'),
    now: () => now ?? new Date(),
  };
  return { environment, output };
}
