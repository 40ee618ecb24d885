import { ById, type Ctx, type HelpersOf, helper, Nullable, readValid, sql, Type, Uuid } from '@chowk/kit';
import { mask } from './columns.ts';
import { currentId, findCustomer, lockActive, lockCurrent, missing } from './find.ts';
import { checkIdentity, findOrCreate } from './identity.ts';
import { readChanges, saveCustomer, writeCustomer } from './save.ts';
import { type CustomerRecord, ExternalIdKey } from './schemas.ts';
import { selectMatching } from './search.ts';

type Contact = Pick<CustomerRecord, 'id' | 'first_name' | 'last_name' | 'email' | 'phone'>;

// Plain text: `findOrCreate` reports invalid values as `customer.phone`, not as `phone`.
const text = Type.Optional(Nullable(Type.String()));
const Identity = Type.Object({
  id: Type.Optional(Type.String()),
  phone: text,
  email: text,
  first_name: text,
  last_name: text,
});
const { platform, external_id } = ExternalIdKey.properties;
const MetadataKey = { customer_id: Uuid, key: Type.String({ minLength: 1 }) };

export const helpers = {
  get: helper({
    summary: 'Get a customer',
    description: 'Fails with 404 for a deleted customer, and with `merged_into` for a merged one.',
    input: ById,
    run: async (ctx, { id }) => mask(ctx, await findCustomer(ctx, id)),
  }),
  findOrCreate: helper({
    summary: 'Find the customer with an id, else a phone, else an email, or create one',
    description:
      'An existing customer is not changed; a new one without a name is called Guest. The customer is locked until the ' +
      'transaction ends. Invalid values are 422 on `customer.id`, `customer.phone` and `customer.email`.',
    input: Identity,
    run: findOrCreate,
  }),
  checkIdentity: helper({
    summary: 'Check what findOrCreate would reject, without creating a customer',
    input: Type.Object({ customer: Identity }),
    run: (ctx, { customer }) => checkIdentity(ctx, customer),
  }),
  lock: helper({
    summary: 'Lock a customer until the transaction ends and return its id',
    description: 'Also locks a deleted customer. For a merged one, locks the customer it was merged into.',
    input: ById,
    run: async (ctx, { id }) => (await lockCurrent(ctx, id))?.customer.id,
  }),
  selectMatching: helper({
    summary: 'Get an SQL query for the ids of the customers with words in name, email or phone',
    description: 'For `customer_id IN (…)`: a query and not the ids, which can be many.',
    input: Type.Object({ text: Type.String() }),
    run: selectMatching,
  }),
  listContacts: helper({
    summary: 'List names, emails and phones by id',
    description: 'Phones are masked as for the user, unless `unmasked`, which is for code that sends messages.',
    input: Type.Object({ ids: Type.Array(Uuid), unmasked: Type.Optional(Type.Boolean()) }),
    async run(ctx, { ids, unmasked }) {
      if (ids.length === 0) return new Map<string, Contact>();
      const contacts = await ctx.db.rows<Contact>(sql`
        SELECT id, first_name, last_name, email, phone FROM customers
        WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`);
      return new Map(contacts.map((contact) => [contact.id, unmasked ? contact : mask(ctx, contact)]));
    },
  }),
  setExternalId: helper({
    summary: 'Set the id of a customer on another platform; null removes it',
    input: Type.Object({ customer_id: Uuid, platform, external_id: Nullable(external_id) }),
    run: (ctx, { customer_id, platform, external_id }) =>
      ctx.tx(async (tx) => {
        const customer = await lockActive(tx, customer_id);
        const changes = { external_ids: { [platform]: external_id } };
        await saveCustomer(tx, customer, await readValid((issues) => readChanges(tx, changes, issues, customer)));
      }),
  }),
  getExternalId: helper({
    summary: 'Get the id of a customer on another platform',
    input: Type.Object({ customer_id: Uuid, platform }),
    async run(ctx, input) {
      const row = await ctx.db.row<{ external_id: string | null }>(sql`
        SELECT external_ids ->> ${input.platform.trim()}::text AS external_id FROM customers
        WHERE id = ${currentId(input.customer_id)} AND deleted_at IS NULL`);
      if (!row) throw await missing(ctx, input.customer_id);
      return row.external_id ?? undefined;
    },
  }),
  setMetadata: helper({
    summary: 'Store a value about a customer under a key of the calling module; null removes it',
    input: Type.Object({ ...MetadataKey, value: Nullable(Type.String()) }),
    run: (ctx, { customer_id, key, value }, caller) =>
      ctx.tx(async (tx) => {
        const { id } = await lockActive(tx, customer_id);
        await writeMetadata(tx, { id, key, value, source: caller });
        await writeCustomer(tx, id, {});
      }),
  }),
  getMetadata: helper({
    summary: 'Get the value that a module has stored about a customer',
    description: '`module_source` is the calling module by default.',
    input: Type.Object({ ...MetadataKey, module_source: Type.Optional(Type.String()) }),
    async run(ctx, { customer_id, key, module_source }, caller) {
      const row = await ctx.db.row<{ value: string | null }>(sql`
        SELECT m.value FROM customers c LEFT JOIN customer_metadata m
          ON m.customer_id = c.id AND m.module_source = ${module_source ?? caller} AND m.key = ${key}
        WHERE c.id = ${currentId(customer_id)} AND c.deleted_at IS NULL`);
      if (!row) throw await missing(ctx, customer_id);
      return row.value ?? undefined;
    },
  }),
};

interface Entry {
  readonly id: string;
  readonly key: string;
  readonly value: string | null;
  readonly source: string;
}

async function writeMetadata(ctx: Ctx, { id, key, value, source }: Entry): Promise<void> {
  const isEntry = sql`customer_id = ${id} AND module_source = ${source} AND key = ${key}`;
  if (value === null) await ctx.db.run(sql`DELETE FROM customer_metadata WHERE ${isEntry}`);
  else
    await ctx.db.run(sql`
      INSERT INTO customer_metadata (id, customer_id, key, value, module_source, created_at, updated_at)
      VALUES (${ctx.newId()}, ${id}, ${key}, ${value}, ${source}, ${ctx.now()}, ${ctx.now()})
      ON CONFLICT (customer_id, module_source, key)
      DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`);
}

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    customers: HelpersOf<typeof helpers>;
  }
}
