import { aliasPattern, type Manifest, versionPattern } from '../loader/manifest.ts';

/** One version of a module. */
export interface PackageId {
  readonly alias: string;
  readonly version: string;
}

/** `<ModuleName>-<version>.zip`. */
export function packageFile({ name, version }: Pick<Manifest, 'name' | 'version'>): string {
  return `${name.replaceAll(/[^A-Za-z0-9]/g, '')}-${version}.zip`;
}

/** The file of a package whose manifest is not in the registry: `order-notes` is `OrderNotes`. */
export function guessPackageFile({ alias, version }: PackageId): string {
  const name = alias.replaceAll(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
  return packageFile({ name, version });
}

/** Reads `<alias>@<version>`; `undefined` if it is something else, such as a path. */
export function readPackageId(text: string): PackageId | undefined {
  const [alias = '', version = '', ...rest] = text.split('@');
  return rest.length === 0 && isAlias(alias) && isVersion(version) ? { alias, version } : undefined;
}

export function isAlias(text: string): boolean {
  return new RegExp(aliasPattern).test(text);
}

export function isVersion(text: string): boolean {
  return text.length <= 100 && new RegExp(versionPattern).test(text);
}
