import { createHash } from 'node:crypto';
import { type Static, Type } from '@chowk/kit/kernel';
import type { MigrationSource } from '../db/migrations.ts';
import { compileBody } from '../schemas/validation.ts';
import { ArchiveError } from './archive-reader.ts';

export const formatVersion = 1;

const Text = Type.String({ maxLength: 10_000 });
/** Without control characters, because commands print it. */
const Name = Type.String({ maxLength: 1_000, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' });
const Count = Type.Integer({ minimum: 0 });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Digest = { rows: Count, bytes: Count, sha256: Sha256 };

const Team = Type.Object({
  roles: Type.Array(Type.Object({ name: Name, description: Text, permissions: Type.Array(Name) }), { maxItems: 1_000 }),
  members: Type.Array(
    Type.Object({
      /** The id in the installation that wrote the archive. */
      id: Type.Integer({ minimum: 1 }),
      email: Name,
      role: Type.Union([Name, Type.Null()]),
      /** The permissions of a member without a role. */
      permissions: Type.Union([Type.Array(Name), Type.Null()]),
    }),
    { maxItems: 100_000 },
  ),
});
export type Team = Static<typeof Team>;

const Manifest = Type.Object({
  format: Type.Integer(),
  platform: Name,
  created_at: Name,
  /** The id of the installation. */
  installation: Name,
  tenant: Type.Object({ id: Name, name: Name, role: Name, status: Name, created_at: Name }),
  domains: Type.Array(Type.Object({ domain: Name, kind: Name }), { maxItems: 1_000 }),
  settings: Type.Record(Name, Type.Unknown()),
  modules: Type.Array(Type.Object({ alias: Name, status: Type.Enum(['enabled', 'disabled']) }), { maxItems: 1_000 }),
  team: Team,
  migrations: Type.Array(Type.Object({ owner: Name, name: Name, checksum: Name }), { maxItems: 10_000 }),
  /** In the order in which they are loaded. */
  tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name), ...Digest }), { maxItems: 10_000 }),
  sequences: Type.Array(
    Type.Object({
      name: Name,
      value: Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
    }),
    { maxItems: 10_000 },
  ),
  /** Tables whose rows are not in the archive, or not all of them. */
  omitted: Type.Array(Name),
  /** Columns that only an installation with the same key can read. */
  sealed: Type.Array(Type.Object({ table: Name, columns: Type.Array(Name) })),
  files: Type.Object({ count: Count, bytes: Count, sha256: Sha256 }),
});
export type Manifest = Static<typeof Manifest>;

const validate = compileBody(Manifest);

/** In bytes. */
export const maxManifestSize = 64 * 1_048_576;

export function readManifest(text: string): Manifest {
  const manifest = parse(text) as Manifest;
  const format = (manifest as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format !== formatVersion) {
    throw new ArchiveError(`it has the format ${format}; this version reads the format ${formatVersion}`);
  }
  const errors = Object.entries(validate(manifest) ?? {});
  if (errors.length > 0) throw new ArchiveError(`manifest.json: ${errors[0]?.[0]}: ${errors[0]?.[1][0]?.message}`);
  return manifest;
}

/** The migrations that the archive's database has. Throws for one that this installation does not have. */
export function archivedMigrations(
  { migrations }: Pick<Manifest, 'migrations'>,
  known: readonly MigrationSource[],
): MigrationSource[] {
  const missing = new Map(migrations.map(({ owner, name, checksum }) => [`${owner}/${name}`, checksum]));
  const sources = known.map(({ owner, migrations: own }) => ({
    owner,
    migrations: own.filter(({ name, checksum }) => missing.get(`${owner}/${name}`) === checksum),
  }));
  for (const { owner, migrations: own } of sources) for (const { name } of own) missing.delete(`${owner}/${name}`);
  if (missing.size === 0) return sources;
  throw new ArchiveError(
    `this installation does not have its migrations ${[...missing.keys()].join(', ')}; update it or add their modules`,
  );
}

/** Counts and hashes the content that passes through it. */
export class Measure {
  readonly #onRows: (rows: number) => void;
  readonly #hash = createHash('sha256');
  #rows = 0;
  #bytes = 0;

  constructor(onRows: (rows: number) => void = () => {}) {
    this.#onRows = onRows;
  }

  async *through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      // In the text format of COPY, a newline is the end of a row.
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#rows += 1;
      this.#onRows(this.#rows);
      yield chunk;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  digest(): { rows: number; bytes: number; sha256: string } {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArchiveError('manifest.json is not valid JSON');
  }
}
