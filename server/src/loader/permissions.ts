import type { DeclaredPermission } from '@chowk/kit/kernel';
import type { Manifest } from './manifest.ts';

/** The permissions that the modules declare, in order. */
export function collectPermissions(modules: readonly { readonly manifest: Manifest }[]): DeclaredPermission[] {
  return modules
    .flatMap(({ manifest }) => manifest.permissions ?? [])
    .map((entry) => (typeof entry === 'string' ? { name: entry, description: entry } : entry))
    .map(({ name, description, sensitive = false }: { name: string; description: string; sensitive?: boolean }) => {
      return { name, description, isSensitive: sensitive };
    });
}
