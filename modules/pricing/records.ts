import {
  type Ctx,
  changesBetween,
  columnNames,
  columnsFor,
  type Failure,
  invalid,
  pickFields,
  raw,
  removedFields,
  type Sql,
  type Static,
  sql,
  type Type,
  taken,
  violatedIndex,
} from '@chowk/kit';

type Schema = ReturnType<typeof Type.Object>;
interface Versioned {
  readonly id: string;
  readonly updated_at: string;
}

interface Definition<New extends Schema, Row extends Schema> {
  readonly table: string;
  readonly New: New;
  readonly Row: Row;
  /** Columns that are not simply the field. */
  readonly expressions?: Readonly<Record<string, Sql>>;
  notFound(id: string): Failure;
  /** By the name of a unique index: the field and what is wrong with it. */
  readonly unique?: Readonly<Record<string, readonly [field: string, message: string]>>;
}

/** Reads and writes the rows of one table, all fields at once. `r` is the alias of the table. */
export function records<New extends Schema, Row extends Schema>(definition: Definition<New, Row>) {
  type Fields = Static<New>;
  type Saved = Static<Row> & Versioned;
  const { New, notFound, unique = {} } = definition;
  const table = raw(definition.table);
  const names = columnNames(New);
  const columns = columnsFor(definition.Row, sql`r`, definition.expressions);

  async function find(ctx: Ctx, id: string, lock: Sql): Promise<Saved> {
    const record = await ctx.db.row<Saved>(sql`SELECT ${columns} FROM ${table} r WHERE id = ${id} ${lock}`);
    if (!record) throw notFound(id);
    return record;
  }

  const lock = async (ctx: Ctx, id: string) => {
    const record = await find(ctx, id, sql`FOR UPDATE`);
    ctx.mustMatch(record);
    return record;
  };

  return {
    columns,
    get: (ctx: Ctx, { id }: { readonly id: string }) => find(ctx, id, sql``),
    lock,
    /** The fields of a record after a change of some of them. */
    merge: (current: Saved, changes: Partial<Fields>) =>
      ({ ...pickFields(New, current as never), ...changes }) as Fields,

    async insert(ctx: Ctx, fields: Fields): Promise<Saved> {
      const row = JSON.stringify({ ...fields, id: ctx.newId(), created_at: ctx.now() });
      const record = ctx.db.row<Saved>(sql`
        INSERT INTO ${table} AS r (id, ${names}, created_at, updated_at)
        SELECT id, ${names}, created_at, created_at FROM jsonb_populate_record(NULL::${table}, ${row}::jsonb)
        RETURNING ${columns}`);
      return (await record.catch(translateUniqueViolation(unique))) as Saved;
    },

    async update(ctx: Ctx, current: Saved, fields: Fields): Promise<Saved> {
      const row = JSON.stringify({ ...fields, updated_at: ctx.now() });
      const record = ctx.db.row<Saved>(sql`
        UPDATE ${table} r SET (${names}, updated_at) = (SELECT ${names}, updated_at
          FROM jsonb_populate_record(NULL::${table}, ${row}::jsonb))
        WHERE id = ${current.id} RETURNING ${columns}`);
      const saved = (await record.catch(translateUniqueViolation(unique))) as Saved;
      ctx.audit(changesBetween(pickFields(New, current as never), pickFields(New, saved as never)));
      return saved;
    },

    remove: (ctx: Ctx, { id }: { readonly id: string }): Promise<void> =>
      ctx.tx(async (tx) => {
        const record = await lock(tx, id);
        await tx.db.run(sql`DELETE FROM ${table} WHERE id = ${id}`);
        tx.audit(removedFields(record));
      }),
  };
}

/** Two requests at once can pass the check of a unique value. */
function translateUniqueViolation(unique: Definition<Schema, Schema>['unique'] = {}) {
  return (error: unknown): never => {
    const [field, message] = unique[violatedIndex(error) ?? ''] ?? [];
    throw field === undefined ? error : invalid({ [field]: taken(message as string) });
  };
}
