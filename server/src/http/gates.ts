import type { FastifyRequest } from 'fastify';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';

/** Throws to refuse a request. */
export type Gate = (request: FastifyRequest) => Promise<void>;

/** Returns a function that finds the gate which a module has put above a path. */
export function gateFinder(kernel: Kernel): (path: string) => Gate | undefined {
  const gates = kernel.modules.flatMap(({ alias: module, definition }) =>
    Object.entries(definition.gates ?? {}).map(([path, check]) => ({
      prefix: `/api/v1${path}/`,
      pass: (request: FastifyRequest) => check(new Context(kernel, { requestId: request.id, module, source: request })),
    })),
  );
  return (path) => gates.find(({ prefix }) => `${path}/`.startsWith(prefix))?.pass;
}
