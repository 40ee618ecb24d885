import { ById, type FieldError, IdSet, Nullable, operation, readValid, type Static, sql, Type, Uuid } from '@chowk/kit';
import { mask } from './columns.ts';
import { ConsentInput, ConsentResult, recordConsent } from './consents.ts';
import { currentId, findCustomer, lockActive, lockCurrent, missing } from './find.ts';
import { checkIdentity, findOrCreate } from './identity.ts';
import { writeMetadata } from './metadata.ts';
import { readChanges, saveCustomer, writeCustomer } from './save.ts';
import { CustomerRecord, ExternalIdKey } from './schemas.ts';
import { findMatching } from './search.ts';
import { findSegments } from './segments.ts';

const Contact = Type.Pick(CustomerRecord, ['id', 'first_name', 'last_name', 'email', 'phone']);

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

export const operations = {
  'customers.getRecord': operation({
    summary: 'Get a customer',
    description: 'Fails with 404 for a deleted customer, and with `merged_into` for a merged one.',
    input: ById,
    output: CustomerRecord,
    run: async (ctx, { id }) => mask(ctx, await findCustomer(ctx, id)),
  }),
  'customers.findOrCreate': operation({
    summary: 'Find the customer with an id, else a phone, else an email, or create one',
    description:
      'An existing customer is not changed; a new one without a name is called Guest. The customer is locked until the ' +
      'transaction ends. Invalid values are 422 on `customer.id`, `customer.phone` and `customer.email`.',
    atomic: true,
    input: Identity,
    output: CustomerRecord,
    run: findOrCreate,
  }),
  'customers.checkIdentity': operation({
    summary: 'Check what findOrCreate would reject, without creating a customer',
    input: Type.Object({ customer: Identity }),
    output: Type.Unsafe<Record<string, FieldError[]>>(
      Type.Record(Type.String(), Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
    ),
    run: (ctx, { customer }) => checkIdentity(ctx, customer),
  }),
  'customers.lock': operation({
    summary: 'Lock a customer until the transaction ends and return its id',
    description: 'Also locks a deleted customer. For a merged one, locks the customer it was merged into.',
    input: ById,
    output: Nullable(Uuid),
    run: async (ctx, { id }) => (await lockCurrent(ctx, id))?.customer.id ?? null,
  }),
  'customers.findMatching': operation({
    summary: 'Find the customers with words in name, email or phone',
    description: 'For a condition of a list (`isAmong`). `null` for a text without words.',
    input: Type.Object({ text: Type.String() }),
    output: Nullable(IdSet.schema),
    run: findMatching,
  }),
  'customers.findSegments': operation({
    summary: 'Find the customers of each segment, as they are now',
    description: 'For conditions of other modules (`isAmong`). A customer may be in several segments.',
    input: Type.Object({}),
    output: Type.Array(Type.Object({ key: Type.String(), label: Type.String(), customers: IdSet.schema })),
    run: findSegments,
  }),
  'customers.listContacts': operation({
    summary: 'List names, emails and phones by id',
    description: 'Phones are masked as for the user, unless `unmasked`, which is for code that sends messages.',
    input: Type.Object({ ids: Type.Array(Uuid), unmasked: Type.Optional(Type.Boolean()) }),
    output: Type.Array(Contact),
    async run(ctx, { ids, unmasked }) {
      if (ids.length === 0) return [];
      const contacts = await ctx.db.rows<Static<typeof Contact>>(sql`
        SELECT id, first_name, last_name, email, phone FROM customers
        WHERE id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`);
      return unmasked ? contacts : contacts.map((contact) => mask(ctx, contact));
    },
  }),
  'customers.recordConsent': operation({
    summary: 'Record that a customer gives or withdraws consent to marketing',
    description:
      'For links and inbound messages: by `accepts_marketing`, or by a `text` such as STOP. The customer is found by id, ' +
      'phone or email, in this order.',
    atomic: true,
    input: ConsentInput,
    output: ConsentResult,
    run: recordConsent,
  }),
  'customers.setExternalId': operation({
    summary: 'Set the id of a customer on another platform; null removes it',
    atomic: true,
    input: Type.Object({ customer_id: Uuid, platform, external_id: Nullable(external_id) }),
    async run(ctx, { customer_id, platform, external_id }) {
      const customer = await lockActive(ctx, customer_id);
      const changes = { external_ids: { [platform]: external_id } };
      await saveCustomer(ctx, customer, await readValid((issues) => readChanges(ctx, changes, issues, customer)));
    },
  }),
  'customers.getExternalId': operation({
    summary: 'Get the id of a customer on another platform',
    input: Type.Object({ customer_id: Uuid, platform }),
    output: Nullable(Type.String()),
    async run(ctx, input) {
      const row = await ctx.db.row<{ external_id: string | null }>(sql`
        SELECT external_ids ->> ${input.platform.trim()}::text AS external_id FROM customers
        WHERE id = ${currentId(input.customer_id)} AND deleted_at IS NULL`);
      if (!row) throw await missing(ctx, input.customer_id);
      return row.external_id;
    },
  }),
  'customers.setMetadata': operation({
    summary: 'Store a value about a customer under a key of the calling module; null removes it',
    atomic: true,
    input: Type.Object({ ...MetadataKey, value: Nullable(Type.String()) }),
    async run(ctx, { customer_id, key, value }) {
      const { id } = await lockActive(ctx, customer_id);
      await writeMetadata(ctx, { id, key, value, source: ctx.callingModule ?? 'kernel' });
      await writeCustomer(ctx, id, {});
    },
  }),
  'customers.getMetadata': operation({
    summary: 'Get the value that a module has stored about a customer',
    description: '`module_source` is the calling module by default.',
    input: Type.Object({ ...MetadataKey, module_source: Type.Optional(Type.String()) }),
    output: Nullable(Type.String()),
    async run(ctx, { customer_id, key, module_source = ctx.callingModule ?? 'kernel' }) {
      const row = await ctx.db.row<{ value: string | null }>(sql`
        SELECT m.value FROM customers c LEFT JOIN customer_metadata m
          ON m.customer_id = c.id AND m.module_source = ${module_source} AND m.key = ${key}
        WHERE c.id = ${currentId(customer_id)} AND c.deleted_at IS NULL`);
      if (!row) throw await missing(ctx, customer_id);
      return row.value;
    },
  }),
};
