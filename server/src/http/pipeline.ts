import { callAction } from '../actions/call.ts';
import { FileChanges } from '../files/file-store.ts';
import { authenticate } from './authenticate.ts';
import { bindTenant } from './bind-tenant.ts';
import { compressBody } from './compress.ts';
import type { Exchange } from './exchange.ts';
import { runOnceForKey, StoredBody } from './idempotent-run.ts';
import { limitNetwork, limitRate, limitTenant, slowDown } from './rate-limit.ts';
import { responseBody } from './response-body.ts';

/** The steps of a request, in order. Response headers and CORS come before them, in `server.ts`. */
export async function handleRequest(exchange: Exchange): Promise<unknown> {
  const { kernel, request, reply, route } = exchange;
  await identify(exchange);
  if (route.gate) await route.gate(request);
  exchange.runOnce = runOnceForKey(exchange);
  // Module, permission, body, idempotency key, input, run, audit entry.
  const output = await (route.hasUpload ? callWithUpload(exchange) : callAction(kernel, exchange));
  const body = output instanceof StoredBody ? output.text : responseBody(exchange, output);
  return compressBody(request, reply, body);
}

/** Finds tenant and caller, within the rate limits. */
export async function identify(exchange: Exchange): Promise<void> {
  try {
    limitNetwork(exchange);
    await bindTenant(exchange);
    limitTenant(exchange);
    await authenticate(exchange);
    limitRate(exchange);
  } catch (error) {
    await slowDown(exchange, error);
    throw error;
  }
}

async function callWithUpload(exchange: Exchange): Promise<unknown> {
  const { kernel } = exchange;
  const files = new FileChanges();
  exchange.writtenFiles = files;
  try {
    return await kernel.files.settleAfter(files, () => callAction(kernel, exchange));
  } finally {
    await exchange.upload?.close();
  }
}
