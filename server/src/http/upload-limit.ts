import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { networkPrefix } from '../network.ts';
import type { Exchange } from './exchange.ts';

/** The maximum number of concurrent uploads of a tenant or, without one, of a network. */
const maxUploads = 50;

/** Uploads in progress by tenant or network. */
const uploads = new WeakMap<Kernel, Map<string, number>>();

/** Counts an upload until its response is sent: each one takes space on the disk. Throws 429 if there are too many. */
export function limitUploads({ kernel, tenant, request, reply }: Exchange): void {
  const counts = uploads.get(kernel) ?? new Map<string, number>();
  uploads.set(kernel, counts);
  const key = tenant?.id ?? networkPrefix(request.ip);
  const count = counts.get(key) ?? 0;
  if (count >= maxUploads) throw fail('http.too_many_uploads', {}, { headers: { 'Retry-After': '10' } });
  counts.set(key, count + 1);
  reply.raw.once('close', () => {
    const remaining = (counts.get(key) ?? 1) - 1;
    if (remaining > 0) counts.set(key, remaining);
    else counts.delete(key);
  });
}
