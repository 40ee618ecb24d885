import { type Ctx, Failure } from '@chowk/kit';
import { parseJson, readText } from './json-value.ts';
import type { Outcome } from './provider.ts';

type HttpRequest = NonNullable<Parameters<Ctx['http']['request']>[1]>;

interface Request extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  /** The provider, as reasons call it. */
  readonly title: string;
  readonly url: string;
  /** The path of the reason in a response that refuses. */
  readonly reasonIn: string;
}

const limits = { timeoutMs: 15_000, maxBytes: 262_144, maxRedirects: 0 };
const temporaryFailures: ReadonlySet<string> = new Set(['outbound.timeout', 'outbound.unreachable']);
/** 409: another request with the same idempotency key is under way. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** The JSON of a 2xx response. Another attempt may succeed after 408, 409, 425, 429 and 5xx, and if the server cannot be reached. */
export async function sendRequest(ctx: Ctx, { title, url, reasonIn, ...request }: Request): Promise<Outcome<unknown>> {
  try {
    const { status, body } = await ctx.http.request(url, { ...request, ...limits });
    const json = parseJson(body.toString('utf8'));
    const answered = `${title} answered with the status ${status}.`;
    if (status >= 200 && status < 300) {
      return json === undefined ? { status: 'unavailable', reason: answered } : { status: 'done', value: json };
    }
    if (status >= 500 || temporaryStatuses.has(status)) return { status: 'unavailable', reason: answered };
    return { status: 'refused', reason: readText(json, reasonIn) ?? answered };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: temporaryFailures.has(error.code) ? 'unavailable' : 'refused', reason: error.message };
  }
}

/** Reads the value of a response. One without what was asked for counts as unavailable. */
export function readOutcome<Value>(
  outcome: Outcome<unknown>,
  title: string,
  read: (json: unknown) => Value | undefined,
): Outcome<Value> {
  if (outcome.status !== 'done') return outcome;
  const value = read(outcome.value);
  return value === undefined
    ? { status: 'unavailable', reason: `${title} sent an unexpected response.` }
    : { status: 'done', value };
}
