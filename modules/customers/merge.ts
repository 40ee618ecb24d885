import { type Ctx, changesBetween, invalid, sql } from '@chowk/kit';
import { mask, recordColumns } from './columns.ts';
import { missing } from './find.ts';
import { readStatistics } from './orders.ts';
import { writeCustomer } from './save.ts';
import {
  type CustomerRecord,
  type Merge,
  type MergePreview,
  maxExternalIds,
  maxNotesLength,
  maxTags,
} from './schemas.ts';

interface Pair {
  readonly primary: CustomerRecord;
  readonly secondary: CustomerRecord;
}

/**
 * All modules write about a customer under its lock, and a merge holds both locks: earlier writes are moved, later ones
 * go to the primary.
 */
export async function mergeCustomers(ctx: Ctx, merge: Merge): Promise<CustomerRecord> {
  const customer = await ctx.tx(async (tx) => {
    const pair = await findPair(tx, merge, sql`FOR UPDATE`);
    const { primary, secondary } = pair;
    await tx.emit('customer.merging', pair);
    const combined = await combine(tx, pair);
    mustFit(combined);
    await clearDuplicateDefaults(tx, pair);
    await tx.personalData.move(secondary.id, primary.id);
    // Frees email and phone, which are unique, for the primary.
    await deleteSecondary(tx, pair);
    const merged = await writeCustomer(tx, primary.id, combined);
    const changes = changesBetween(primary, combined);
    tx.audit({ removed_id: [secondary.id, null], ...changes });
    await tx.emit('customer.merged', { customer: merged, removed_id: secondary.id });
    const changed = Object.keys(changes);
    if (changed.length > 0) await tx.emit('customer.updated', { customer: merged, changed });
    return merged;
  });
  return mask(ctx, customer);
}

export async function previewMerge(ctx: Ctx, merge: Merge): Promise<MergePreview> {
  const pair = await findPair(ctx, merge);
  const combined = await combine(ctx, pair);
  mustFit(combined);
  const counts = await ctx.personalData.count(pair.secondary.id);
  return {
    customer: mask(ctx, { ...pair.primary, ...combined }),
    changed: Object.keys(changesBetween(pair.primary, combined)),
    moved: counts.filter(({ rows, table }) => rows > 0 && table !== 'customers'),
  };
}

/** Locks in the order of ids, so that two merges of the same customers cannot deadlock. */
async function findPair(ctx: Ctx, { primary_id, secondary_id }: Merge, lock = sql``): Promise<Pair> {
  if (primary_id.toLowerCase() === secondary_id.toLowerCase()) {
    throw invalid({ secondary_id: 'A customer cannot be merged with itself.' });
  }
  const rows = await ctx.db.rows<CustomerRecord>(sql`
    SELECT ${recordColumns} FROM customers c
    WHERE id = ANY(${[primary_id, secondary_id]}::uuid[]) AND deleted_at IS NULL ORDER BY c.id ${lock}`);
  const pick = async (id: string) => {
    const customer = rows.find((row) => row.id === id.toLowerCase());
    if (!customer) throw await missing(ctx, id);
    return customer;
  };
  return { primary: await pick(primary_id), secondary: await pick(secondary_id) };
}

/** The fields of the merged customer that may differ from the primary's. */
async function combine(ctx: Ctx, { primary, secondary }: Pair) {
  return {
    external_ids: { ...secondary.external_ids, ...primary.external_ids },
    tags: [...new Set([...primary.tags, ...secondary.tags])],
    email: primary.email ?? secondary.email,
    phone: primary.phone ?? secondary.phone,
    ...combineNames(primary, secondary),
    notes: await combineNotes(ctx, primary, secondary),
    ...(await readStatistics(ctx, [primary.id, secondary.id])),
  };
}

/** A merge loses nothing and exceeds no limit: what does not fit must be removed first. */
function mustFit({ tags, external_ids, notes }: Pick<CustomerRecord, 'tags' | 'external_ids' | 'notes'>): void {
  const limits = [
    ['tags', tags.length, maxTags],
    ['external ids', Object.keys(external_ids).length, maxExternalIds],
    ['characters of notes', notes?.length ?? 0, maxNotesLength],
  ] as const;
  for (const [what, count, limit] of limits) {
    if (count <= limit) continue;
    const message = `Together they have ${count} ${what}, and a customer has at most ${limit}. Remove ${count - limit} first.`;
    throw invalid({ secondary_id: { code: 'too_many', message } });
  }
}

/** The external ids on platforms on which the primary has another one. */
function replacedExternalIds({ primary, secondary }: Pair): Record<string, string> {
  const all = Object.entries(secondary.external_ids);
  return Object.fromEntries(all.filter(([platform, id]) => (primary.external_ids[platform] ?? id) !== id));
}

type Name = Pick<CustomerRecord, 'first_name' | 'last_name'>;

function combineNames(primary: Name, secondary: Name): Name {
  const [own, other] = [realName(primary), realName(secondary)];
  const name = { first_name: own.first_name || other.first_name, last_name: own.last_name || other.last_name };
  return name.first_name || name.last_name ? name : { first_name: primary.first_name, last_name: primary.last_name };
}

/** `findOrCreate` calls a customer without a name Guest, which counts as no name. */
function realName({ first_name, last_name }: Name): Name {
  return first_name === 'Guest' && !last_name ? { first_name: null, last_name: null } : { first_name, last_name };
}

async function combineNotes(ctx: Ctx, primary: CustomerRecord, secondary: CustomerRecord): Promise<string | null> {
  if (!secondary.notes) return primary.notes;
  const { 'general.timezone': timeZone } = await ctx.settings();
  const day = ctx.now().toLocaleDateString('sv-SE', { timeZone });
  const name = [secondary.first_name, secondary.last_name].filter(Boolean).join(' ') || secondary.id;
  const merged = `[Merged from ${name} on ${day}]\n${secondary.notes}`;
  return primary.notes ? `${primary.notes}\n\n${merged}` : merged;
}

/** Where both customers have a default address of a type, the primary's stays the default. */
async function clearDuplicateDefaults(ctx: Ctx, { primary, secondary }: Pair): Promise<void> {
  await ctx.db.run(sql`
    UPDATE customer_addresses SET is_default = false, updated_at = ${ctx.now()}
    WHERE customer_id = ${secondary.id} AND is_default
      AND type IN (SELECT type FROM customer_addresses WHERE customer_id = ${primary.id})`);
}

async function deleteSecondary(ctx: Ctx, pair: Pair): Promise<void> {
  const { primary, secondary } = pair;
  const externalIds = JSON.stringify(replacedExternalIds(pair));
  await ctx.db.run(sql`DELETE FROM customers WHERE id = ${secondary.id}`);
  await ctx.db.run(sql`
    INSERT INTO customer_merges (id, merged_into, user_id, merged_at, external_ids)
    VALUES (${secondary.id}, ${primary.id}, ${ctx.userId ?? null}, ${ctx.now()}, ${externalIds}::jsonb)`);
}
