import type { FastifyRequest } from 'fastify';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';

/** Where a module redirects a page of the console to. A failure is logged, and the page is shown. */
export async function findPageRedirect(
  kernel: Kernel,
  request: FastifyRequest,
  path: string,
): Promise<string | undefined> {
  for (const { alias: module, definition } of kernel.modules) {
    if (!definition.redirectPage) continue;
    try {
      const ctx = new Context(kernel, { requestId: request.id, module, source: request });
      const to = await definition.redirectPage(ctx, path);
      if (to !== undefined) return to;
    } catch (error) {
      kernel.log.warn({ err: error, module, path }, 'could not check whether the page redirects');
    }
  }
  return undefined;
}
