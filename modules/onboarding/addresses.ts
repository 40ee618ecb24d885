import type { SystemCtx } from '@chowk/kit';
import type { ApplicationForm } from './schemas.ts';

/** The URLs of the tenant, aliases first. */
export function formatAddresses(ctx: SystemCtx, domains: readonly string[]): string[] {
  return domains.toReversed().map((domain) => formatAddress(ctx, domain));
}

export async function getForm(ctx: SystemCtx): Promise<ApplicationForm> {
  return { address: formatAddress(ctx, '{domain}') };
}

function formatAddress({ system }: SystemCtx, domain: string): string {
  const { protocol, port } = new URL(system.url);
  return `${protocol}//${domain}.${system.baseDomain}${port && `:${port}`}`;
}
