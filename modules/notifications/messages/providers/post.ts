import { type Ctx, Failure } from '@chowk/kit';
import type { Outcome } from './provider.ts';

type HttpRequest = NonNullable<Parameters<Ctx['http']['request']>[1]>;
export type HttpResponse = Awaited<ReturnType<Ctx['http']['request']>>;

interface Request extends Pick<HttpRequest, 'headers' | 'body' | 'signature'> {
  /** The provider, as reasons call it. */
  readonly provider: string;
  readonly url: string;
  /** The id that the provider gave the message. */
  idIn?(response: HttpResponse): string | null;
  /** Adds to the reason why the message was refused. */
  readDetail?(response: HttpResponse): string;
}

const limits = { timeoutMs: 15_000, maxBytes: 16_384, truncate: true, maxRedirects: 0 };
const maxDelaySeconds = 3_600;
export const temporaryFailures: ReadonlySet<string> = new Set(['outbound.timeout', 'outbound.unreachable']);

/** Any 2xx response is a success. Another attempt is made after 408, 429 and 5xx, and if the server cannot be reached. */
export async function post(ctx: Ctx, { provider, url, idIn, readDetail, ...request }: Request): Promise<Outcome> {
  try {
    const response = await ctx.http.request(url, { method: 'POST', ...request, ...limits });
    const { status } = response;
    if (status >= 200 && status < 300) return { status: 'sent', providerMessageId: idIn?.(response) ?? null };
    const reason = `${provider} answered with the status ${status}${readDetail?.(response) ?? ''}.`;
    const isTemporary = status === 408 || status === 429 || status >= 500;
    return isTemporary ? { status: 'retry', reason, ...retryAfter(response) } : { status: 'failed', reason };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: temporaryFailures.has(error.code) ? 'retry' : 'failed', reason: error.message };
  }
}

function retryAfter({ headers }: HttpResponse): { afterSeconds?: number } {
  const seconds = Number.parseInt(headers['retry-after'] ?? '', 10);
  return seconds > 0 ? { afterSeconds: Math.min(seconds, maxDelaySeconds) } : {};
}

/** The field of a JSON response; `undefined` if it has none. */
export function readField({ body }: HttpResponse, name: string): unknown {
  try {
    return (JSON.parse(body.toString('utf8')) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}
