import { readFile } from 'node:fs/promises';
import { type Static, Type } from '@chowk/kit/kernel';
import { compileBody } from '../schemas/validation.ts';

export const aliasPattern = '^[a-z][a-z0-9-]{0,48}$';
const dotted = '^[a-z][a-z0-9-]*(\\.[a-zA-Z_][a-zA-Z0-9_]*)+$';
/** An event, `order.*` or `*`. */
const eventPattern = `${dotted}|^[a-z][a-z0-9-]*\\.\\*$|^\\*$`;
export const versionPattern = '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$';

const JsonSchema = Type.Record(Type.String(), Type.Unknown());

/** An operation. `module:pack` writes them; the manifest of a module in development has none. */
const Provided = Type.Object({
  name: Type.String({ pattern: dotted }),
  description: Type.String({ minLength: 1 }),
  input: Type.Optional(JsonSchema),
  output: Type.Optional(JsonSchema),
  /** The caller needs one of them. */
  permission: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  /** Calls a minute for each calling module in each tenant. */
  rate_limit: Type.Optional(Type.Integer({ minimum: 1 })),
  graphql_expose: Type.Optional(Type.Boolean()),
});

/** An operation for other modules only. */
const Internal = Type.Object({
  name: Type.String({ pattern: dotted }),
  description: Type.String({ minLength: 1 }),
  /** Only for system modules. */
  system: Type.Optional(Type.Boolean()),
  input: Type.Optional(JsonSchema),
  output: Type.Optional(JsonSchema),
});

const name = '^[a-z_][a-z0-9_]{0,62}$';

const MaskRule = Type.Enum(['last_two_digits', 'hide']);

/** How a column is shown to a caller who may not see it: as a whole, or by field if it is a JSON object. */
const Mask = Type.Union([MaskRule, Type.Record(Type.String(), MaskRule)]);
export type Mask = Static<typeof Mask>;

/**
 * `keep`: does not identify the customer. `personal`: reset to its default when the customer is anonymized, and with a
 * `mask` masked in exports. `file`: personal too, with ids or public URLs of files that `ctx.files` keeps, which are removed with
 * them. `internal`: generated from other columns, never exported. With `keep`, a column with a `mask` is not reset: the law that
 * demands it, such as `tax law`.
 */
const ColumnKind = Type.Union([
  Type.Enum(['keep', 'personal', 'file', 'internal']),
  Type.Object({ mask: Mask, keep: Type.Optional(Type.String({ minLength: 1 })) }),
]);
export type ColumnKind = Static<typeof ColumnKind>;

/** A table and its personal data. `{}` declares that no row belongs to a customer. */
const TableData = Type.Object({
  /** The column with the customer's id. */
  customer: Type.Optional(Type.String({ pattern: name })),
  /** The table that the rows belong to, and the column with its id. */
  parent: Type.Optional(Type.Object({ table: Type.String({ pattern: name }), column: Type.String({ pattern: name }) })),
  /**
   * A customer has one row for each value of these columns, or a single row if the list is empty. No other rows may belong
   * to such a row.
   */
  unique_by: Type.Optional(Type.Array(Type.String({ pattern: name }))),
  /**
   * When customers are merged and both have such a row: how each column of the remaining row is computed from both. `keep`,
   * the default, leaves the value of the primary customer.
   */
  merge: Type.Optional(Type.Record(Type.String({ pattern: name }), Type.Enum(['keep', 'sum', 'max', 'min']))),
  /** When the customer is anonymized: reset the personal columns, or delete the row. */
  anonymize: Type.Optional(Type.Enum(['empty', 'delete'])),
  /** Every column of a customer's table that can hold text. */
  columns: Type.Optional(Type.Record(Type.String({ pattern: name }), ColumnKind)),
  /** Columns with ids of users, and their purpose. */
  users: Type.Optional(Type.Record(Type.String({ pattern: name }), Type.String())),
  /**
   * Left out of archives and copies of the tenant, because it is pending work or belongs to a session: the whole table, or the
   * rows with these values.
   */
  omit: Type.Optional(Type.Union([Type.Literal(true), Type.Record(Type.String({ pattern: name }), Type.String())])),
  /**
   * Columns that `ctx.secrets` has sealed, for the field that is the value of another column. Those of a system module are sealed
   * with `ctx.system.secrets` for a purpose, with that value as the context.
   */
  sealed: Type.Optional(
    Type.Object({
      field: Type.String({ pattern: name }),
      columns: Type.Array(Type.String({ pattern: name })),
      purpose: Type.Optional(Type.String({ minLength: 1 })),
    }),
  ),
  /**
   * The column that turns a row on. Off in a copy if the row has secrets, and in an archive's tenant if its secret cannot be
   * opened or its user does not exist; without this column, a row with such a secret is removed.
   */
  active: Type.Optional(Type.String({ pattern: name })),
  /** Settings or catalogue, which a sandbox gets a copy of, and what some columns have there: `{ "reserved": 0 }`. */
  sandbox: Type.Optional(Type.Union([Type.Literal(true), Type.Record(Type.String({ pattern: name }), Type.Integer())])),
  /** JSON columns with public URLs of files. */
  file_urls: Type.Optional(Type.Array(Type.String({ pattern: name }))),
});
export type TableData = Static<typeof TableData>;

/** A bare name is its own description. */
const Permission = Type.Union([
  Type.String({ pattern: dotted }),
  Type.Object({
    name: Type.String({ pattern: dotted }),
    /** The allowed operation: `Export customers`. */
    description: Type.String({ minLength: 1 }),
    /** Allows damage that cannot be undone, or access to private data. */
    sensitive: Type.Optional(Type.Boolean()),
    /** The system roles that get it besides Owner and Admin. */
    roles: Type.Optional(Type.Array(Type.Enum(['Manager', 'Agent', 'Viewer']))),
  }),
]);

const Setting = Type.Object({
  key: Type.String({ pattern: dotted }),
  schema: Type.Record(Type.String(), Type.Unknown()),
  default: Type.Unknown(),
  description: Type.String({ minLength: 1 }),
  permission: Type.Optional(Type.String()),
});

const Operation = Type.String({ pattern: dotted });

const ConsumedOperation = Type.Object({
  operation: Operation,
  /**
   * A permission of the consuming module that its calls need instead of the operation's own; `null`: none, so that public actions
   * can call it.
   */
  permission: Type.Optional(Type.Union([Type.String({ pattern: dotted }), Type.Null()])),
  /** The module also works without the one that provides the operation. */
  optional: Type.Optional(Type.Boolean()),
  /** The schemas that a packed module was built against. */
  input: Type.Optional(JsonSchema),
  output: Type.Optional(JsonSchema),
});

const Manifest = Type.Object({
  name: Type.String({ minLength: 1 }),
  alias: Type.String({ pattern: aliasPattern }),
  version: Type.String({ pattern: versionPattern }),
  description: Type.String({ minLength: 1 }),
  compatibility: Type.Object({ platform: Type.String({ minLength: 1 }) }),
  /** May use the central database. */
  system: Type.Optional(Type.Boolean()),
  auto_install: Type.Optional(Type.Boolean()),
  api: Type.Optional(
    Type.Object({
      provides: Type.Optional(Type.Array(Provided)),
      internal: Type.Optional(Type.Array(Internal)),
      consumes: Type.Optional(Type.Array(Type.Union([Operation, ConsumedOperation]))),
    }),
  ),
  events: Type.Optional(
    Type.Object({
      emits: Type.Optional(Type.Array(Type.String({ pattern: dotted }))),
      /** Names, or patterns such as `order.*` and `*`. */
      listens: Type.Optional(Type.Array(Type.String({ pattern: eventPattern }))),
      /** The payloads of the emitted events, by name. `module:pack` writes them. */
      schemas: Type.Optional(Type.Record(Type.String({ pattern: dotted }), JsonSchema)),
    }),
  ),
  permissions: Type.Optional(Type.Array(Permission)),
  settings: Type.Optional(Type.Array(Setting)),
  graphql: Type.Optional(
    Type.Object({
      auto_resolve: Type.Optional(Type.Boolean()),
      providers: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  /** Every table of the module and its personal data. */
  data: Type.Optional(Type.Record(Type.String({ pattern: name }), TableData)),
});

export type Manifest = Static<typeof Manifest>;

export type ConsumedOperation = Static<typeof ConsumedOperation>;
export type Consumed = Static<typeof Operation> | Static<typeof ConsumedOperation>;

export function consumedOperation(entry: Consumed): Static<typeof ConsumedOperation> {
  return typeof entry === 'string' ? { operation: entry } : entry;
}

const validate = compileBody(Manifest);

/** Reads a `module.json`. The error names the file and every wrong or unknown field. */
export async function readManifest(file: string): Promise<Manifest> {
  const manifest = parse(file, await readText(file));
  const unknown: string[] = [];
  const errors = validate(manifest, unknown) ?? {};
  const problems = [
    ...Object.entries(errors).map(([field, [first]]) => `${field}: ${first?.message}`),
    ...unknown.map((field) => `${field}: There is no such field; remove it or correct its name.`),
  ];
  if (problems.length > 0) throw new Error(`${file}: ${problems.join(' ')}`);
  return manifest as Manifest;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}
