import type { PackageId } from './package-name.ts';

/** Where packages are published. A file is written once and never replaced. */
export interface Registry {
  /** Its folder or URL, for messages. */
  readonly place: string;
  /** `undefined` if there is no such file. */
  read(id: PackageId, file: string, maxBytes: number): Promise<Buffer | undefined>;
  write(id: PackageId, file: string, content: Buffer): Promise<void>;
}
