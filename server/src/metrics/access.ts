import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.ts';
import { isLocalRequest } from '../network.ts';

/** Metrics need METRICS_TOKEN if it is set, otherwise a request from this machine. */
export function checkMetricsAccess(
  { metricsToken }: Pick<Config, 'metricsToken'>,
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
): 'allowed' | 'unauthenticated' | 'forbidden' {
  if (metricsToken === undefined) return isLocalRequest(request) ? 'allowed' : 'forbidden';
  return isEqual(request.headers.authorization ?? '', `Bearer ${metricsToken}`) ? 'allowed' : 'unauthenticated';
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
