import type { SystemCtx } from '@chowk/kit';
import type { ApplicationForm } from './schemas.ts';

/** The URLs of the tenant, aliases first. */
export function addressesOf(ctx: SystemCtx, domains: readonly string[]): string[] {
  return domains.toReversed().map((domain) => addressOf(ctx, domain));
}

export async function getForm(ctx: SystemCtx): Promise<ApplicationForm> {
  return { address: addressOf(ctx, '{domain}') };
}

function addressOf({ system }: SystemCtx, domain: string): string {
  const { protocol, port } = new URL(system.url);
  return `${protocol}//${domain}.${system.baseDomain}${port && `:${port}`}`;
}
