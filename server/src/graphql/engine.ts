import type { GraphqlEngine } from '@chowk/kit';
import type { Kernel } from '../kernel.ts';

/** GraphQL over the actions. */
export function graphqlEngine(_kernel: () => Kernel): GraphqlEngine {
  return {
    execute: async () => ({ errors: [] }),
    validate: async () => [],
    sdl: async () => '',
  };
}
