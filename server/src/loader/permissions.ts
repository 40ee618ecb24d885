import type { DeclaredPermission } from '@chowk/kit/kernel';
import type { Manifest } from './manifest.ts';

type Entry = Exclude<NonNullable<Manifest['permissions']>[number], string>;

/** The permissions that the modules declare, in order. */
export function collectPermissions(modules: readonly { readonly manifest: Manifest }[]): DeclaredPermission[] {
  return modules
    .flatMap(({ manifest }) => manifest.permissions ?? [])
    .map((entry): Entry => (typeof entry === 'string' ? { name: entry, description: entry } : entry))
    .map(({ name, description, sensitive = false, roles = [] }) => {
      return { name, description, isSensitive: sensitive, roles };
    });
}
