import { installed } from './packages.ts';
import { node, type Stage } from './stage.ts';

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Sent as JSON with POST; absent: GET. */
  readonly body?: object;
  readonly amount: { readonly seconds: number } | { readonly requests: number };
  /** Responses other than 2xx are counted, too. */
  readonly allowsRefusals?: boolean;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
}

interface AutocannonResult {
  readonly duration: number;
  readonly errors: number;
  readonly non2xx: number;
  readonly '2xx': number;
}

const autocannon = await installed('autocannon');

/** Sends as many requests as the server takes, from a separate process. Throws for a response other than 2xx unless they are allowed. */
export async function load(stage: Stage, wanted: Load): Promise<LoadResult> {
  const { url, headers, connections, amount, body, allowsRefusals = false } = wanted;
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const limit = 'seconds' in amount ? ['-d', `${amount.seconds}`] : ['-a', `${amount.requests}`];
  const json = ['-m', 'POST', '-H', 'content-type=application/json', '-b', JSON.stringify(body)];
  const options = ['--json', '-c', `${connections}`, ...limit, ...fields, ...(body ? json : [])];
  const text = await stage.start(node, [autocannon, ...options, url]).output();
  const result: AutocannonResult = JSON.parse(text);
  const { errors, non2xx, '2xx': requests, duration } = result;
  if (allowsRefusals) return { requests: requests + non2xx, perSecond: (requests + non2xx) / duration };
  if (errors > 0 || non2xx > 0 || requests === 0) {
    throw new Error(`${url}: ${errors} errors, ${non2xx} responses other than 2xx, ${requests} with 2xx`);
  }
  return { requests, perSecond: requests / duration };
}
