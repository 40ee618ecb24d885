import type { Ctx } from '@chowk/kit';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    readonly appUrl: string;
    readonly baseDomain: string;
  }
}

/** The address of the tenant. Its id is one of its domains and never changes. */
export function tenantUrl({ options: { appUrl, baseDomain }, tenant }: Ctx): string {
  const { protocol, port } = new URL(appUrl);
  return `${protocol}//${tenant.id}.${baseDomain}${port && `:${port}`}`;
}
