import { action, type Ctx, type Static, sql } from '@chowk/kit';
import { findByExternalId } from './external-ids.ts';
import { CustomerByEmail, CustomerByExternalId, CustomerItem, CustomerRecord } from './schemas.ts';

type ExternalIdChanges = Static<typeof CustomerByEmail>['external_ids'];

const needs = ['customers.create', 'customers.edit'];
const upserted = {
  needs,
  key: 'customer',
  output: CustomerRecord,
  create: 'customers.create',
  update: 'customers.update',
  errors: ['http.precondition_failed'],
};

export const upsertActions = {
  'customers.upsertByExternalId': action.upsert({
    summary: 'Create or update a customer by external id',
    description: 'The path has the id on another platform. Fields that are not sent do not change.',
    http: 'PUT /customers/by-external-id/:platform/:external_id',
    ...upserted,
    input: CustomerByExternalId,
    find: findByExternalId,
    newRecord: ({ platform, external_id, external_ids, ...fields }) => ({
      ...fields,
      external_ids: { ...withoutNulls(external_ids), [platform.trim()]: external_id },
    }),
    changes: ({ platform, external_id: _, external_ids, ...fields }) => ({
      ...fields,
      ...(external_ids ? { external_ids: without(external_ids, platform) } : {}),
    }),
  }),
  'customers.upsertByEmail': action.upsert({
    summary: 'Create or update a customer by email',
    description: 'Fields that are not sent do not change.',
    http: 'PUT /customers/by-email/:email',
    ...upserted,
    input: CustomerByEmail,
    find: findByEmail,
    newRecord: ({ external_ids, ...fields }) => ({ ...fields, external_ids: withoutNulls(external_ids) }),
    changes: ({ email: _, ...fields }) => fields,
  }),
  'customers.writeMany': action.bulk({
    summary: 'Create and update many customers',
    description:
      'Up to 1,000 items. Each follows the rules of a request of its own: `POST`, `PATCH` if it has an id, or `PUT` by the ' +
      'field that `match` names.',
    http: 'POST /customers/bulk',
    needs,
    item: CustomerItem,
    create: 'customers.create',
    update: 'customers.update',
    upsert: { email: 'customers.upsertByEmail', external_ids: 'customers.upsertByExternalId' },
  }),
};

async function findByEmail(ctx: Ctx, { email }: { readonly email: string }): Promise<string | undefined> {
  const customer = await ctx.db.row<{ id: string }>(sql`
    SELECT id FROM customers WHERE email = ${email} AND deleted_at IS NULL`);
  return customer?.id;
}

/** A new customer has no ids to remove. */
function withoutNulls(ids: ExternalIdChanges = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The path decides on the id of its platform. */
function without(ids: NonNullable<ExternalIdChanges>, platform: string): ExternalIdChanges {
  return Object.fromEntries(Object.entries(ids).filter(([name]) => name.trim() !== platform.trim()));
}
