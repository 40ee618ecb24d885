import { isDeepStrictEqual } from 'node:util';
import {
  byInteger,
  byNumber,
  byText,
  byTime,
  type Ctx,
  changesBetween,
  columnsFor,
  equals,
  filter,
  type Issues,
  invalid,
  list,
  removedFields,
  type Static,
  search,
  slugify,
  sql,
  Type,
  taken,
  Uuid,
  violatedIndex,
} from '@chowk/kit';
import { findCollection, isMember } from './collection-rules.ts';
import {
  Collection,
  type CollectionChanges,
  type NewCollection,
  type Rule,
  type RulePreview,
} from './collection-schemas.ts';
import { productColumns } from './columns.ts';
import { fail } from './errors.ts';
import { Product } from './schemas.ts';

const columns = columnsFor(Collection, sql`c`);

export const collectionList = list({
  name: 'collections',
  row: Collection,
  from: sql`collections c`,
  alias: sql`c`,
  columns,
  filters: {
    search: search('Words in the title.', sql`c.title_key`),
    slug: equals(Type.String({ maxLength: 100 }), sql`c.slug`),
    product: filter(
      Uuid,
      (id) => sql`c.id IN (SELECT collection_id FROM collection_products WHERE product_id = ${id})`,
    ),
  },
  sorts: { created_at: byTime(sql`c.created_at`), title: byText(sql`c.title_key`) },
});

type Key = { readonly id: string };

export async function getCollection(ctx: Ctx, { id, slug }: { id?: string; slug?: string }): Promise<Collection> {
  const condition = id === undefined ? sql`slug = ${slug}` : sql`id = ${id}`;
  const collection = await ctx.db.row<Collection>(sql`SELECT ${columns} FROM collections c WHERE ${condition}`);
  if (!collection) throw fail('products.collection_not_found', { key: id ?? slug });
  return collection;
}

const members = {
  name: 'products',
  row: Product,
  alias: sql`p`,
  columns: productColumns,
  sortOrder: 'asc',
} as const;
const sorts = { title: byText(sql`p.title_key`), price: byNumber(sql`p.price`), created_at: byTime(sql`p.created_at`) };

const chosenProducts = list({
  ...members,
  from: sql`(
    SELECT products.*, c.position, c.collection_id FROM collection_products c JOIN products ON products.id = c.product_id) p`,
  where: sql`p.deleted_at IS NULL`,
  scope: { id: equals(Uuid, sql`p.collection_id`) },
  sorts: { position: byInteger(sql`p.position`), ...sorts },
});

/** In the order of titles, unless another is asked for. */
const matchingProducts = list({
  ...members,
  from: sql`products p`,
  where: sql`p.deleted_at IS NULL`,
  scope: { id: filter(Uuid, async (id, ctx) => isMember(await findCollection(ctx, id))) },
  sorts: { position: sorts.title, ...sorts },
});

/** The products of a collection; those that were chosen one by one in their order. */
export const collectionProducts = {
  input: chosenProducts.Query,
  output: chosenProducts.Page,
  run: async (ctx: Ctx, query: Static<typeof chosenProducts.Query>) =>
    (await findCollection(ctx, query.id)).rule ? matchingProducts.page(ctx, query) : chosenProducts.page(ctx, query),
};

/** How many products match a rule, and the first of them by title. */
export async function previewRule(ctx: Ctx, { rule }: { rule: Static<typeof Rule> }): Promise<RulePreview> {
  const from = sql`FROM products p WHERE p.deleted_at IS NULL AND ${isMember({ id: '', rule })}`;
  const { total } = (await ctx.db.row<{ total: number }>(sql`SELECT count(*) AS total ${from}`)) as { total: number };
  const products = await ctx.db.rows<Product>(sql`SELECT ${productColumns} ${from} ORDER BY p.title_key, p.id LIMIT 5`);
  return { total, products };
}

export function checkCollection(_ctx: Ctx, input: Partial<NewCollection>, issues: Issues): void {
  for (const [index, { field, operator, value }] of (input.rule?.conditions ?? []).entries()) {
    const isNumeric = field === 'price' || field === 'stock';
    const allowed = isNumeric
      ? ['is', 'is_not', 'above', 'below']
      : field === 'title'
        ? ['is', 'is_not', 'contains']
        : ['is', 'is_not'];
    const at = `rule.conditions.${index}`;
    if (!allowed.includes(operator)) {
      issues.add(`${at}.operator`, `The operator of ${field} must be one of ${allowed.join(', ')}.`);
    }
    if (isNumeric && !/^-?\d{1,12}(\.\d{1,3})?$/.test(value)) issues.add(`${at}.value`, 'The value must be a number.');
  }
  if (input.rule && input.products?.length) {
    issues.add('products', 'A collection with a rule chooses its products itself.', 'not_allowed');
  }
}

export function createCollection(ctx: Ctx, { products = [], ...fields }: NewCollection): Promise<Collection> {
  return ctx.tx(async (tx) => {
    const id = tx.newId();
    const slug = fields.slug ?? (await freeSlug(tx, fields.title, id));
    const rule = fields.rule && JSON.stringify(fields.rule);
    const collection = (await whileSlugIsFree(tx, slug, (inner) =>
      inner.db.row<Collection>(sql`
        INSERT INTO collections AS c (id, title, slug, description, rule, created_at, updated_at)
        VALUES (${id}, ${fields.title}, ${slug}, ${fields.description}, ${rule}::jsonb, ${inner.now()}, ${inner.now()})
        RETURNING ${columns}`),
    )) as Collection;
    await setProducts(tx, id, products);
    await tx.emit('collection.created', { collection });
    return collection;
  });
}

export function updateCollection(ctx: Ctx, { id, products, ...changes }: CollectionChanges): Promise<Collection> {
  return ctx.tx(async (tx) => {
    const current = await lockCollection(tx, id);
    const next = { ...current, ...changes };
    if (next.rule && products?.length) {
      throw invalid({ products: 'A collection with a rule chooses its products itself.' });
    }
    const fields = changesBetween<Collection>(current, changes as Partial<Collection>);
    tx.audit(fields);
    const rule = next.rule && JSON.stringify(next.rule);
    const collection = (await whileSlugIsFree(tx, next.slug, (inner) =>
      inner.db.row<Collection>(sql`
        UPDATE collections c SET title = ${next.title}, slug = ${next.slug}, description = ${next.description},
          rule = ${rule}::jsonb, updated_at = ${inner.now()}
        WHERE id = ${id} RETURNING ${columns}`),
    )) as Collection;
    const isReplaced = (products || next.rule) && (await replaceProducts(tx, id, products ?? []));
    const changed = [...Object.keys(fields), ...(isReplaced ? ['products'] : [])];
    if (changed.length > 0) await tx.emit('collection.updated', { collection, changed });
    return collection;
  });
}

export async function deleteCollection(ctx: Ctx, { id }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const collection = await lockCollection(tx, id);
    tx.audit(removedFields(collection));
    await tx.db.run(sql`DELETE FROM collections WHERE id = ${id}`);
    await tx.emit('collection.deleted', { collection });
  });
}

async function lockCollection(ctx: Ctx, id: string): Promise<Collection> {
  const collection = await ctx.db.row<Collection>(
    sql`SELECT ${columns} FROM collections c WHERE id = ${id} FOR UPDATE`,
  );
  if (!collection) throw fail('products.collection_not_found', { key: id });
  ctx.mustMatch(collection);
  return collection;
}

/** Whether they are others than before. */
async function replaceProducts(ctx: Ctx, id: string, products: readonly string[]): Promise<boolean> {
  const before = await readChosen(ctx, id);
  if (isDeepStrictEqual(before, products)) return false;
  await setProducts(ctx, id, products);
  return !isDeepStrictEqual(before, await readChosen(ctx, id));
}

async function readChosen(ctx: Ctx, id: string): Promise<string[]> {
  const rows = await ctx.db.rows<{ product_id: string }>(
    sql`SELECT product_id FROM collection_products WHERE collection_id = ${id} ORDER BY position`,
  );
  return rows.map(({ product_id }) => product_id);
}

async function setProducts(ctx: Ctx, id: string, products: readonly string[]): Promise<void> {
  await ctx.db.run(sql`DELETE FROM collection_products WHERE collection_id = ${id}`);
  if (products.length === 0) return;
  const added = await ctx.db.rows<{ product_id: string }>(sql`
    INSERT INTO collection_products (collection_id, product_id, position)
    SELECT ${id}, p.id, sent.position FROM unnest(${products}::uuid[]) WITH ORDINALITY AS sent (id, position)
      JOIN products p ON p.id = sent.id AND p.deleted_at IS NULL
    RETURNING product_id`);
  const known = new Set(added.map(({ product_id }) => product_id));
  const unknown = products.findIndex((product) => !known.has(product.toLowerCase()));
  if (unknown === -1) return;
  const message = `There is no product ${products[unknown]}.`;
  throw invalid({ [`products.${unknown}`]: { code: 'unknown', message } });
}

async function freeSlug(ctx: Ctx, title: string, id: string): Promise<string> {
  const slug = slugify(title, 90) || 'collection';
  const other = await ctx.db.row(sql`SELECT FROM collections WHERE slug = ${slug}`);
  return other ? `${slug}-${id.slice(-8)}` : slug;
}

async function whileSlugIsFree<Result>(ctx: Ctx, slug: string, write: (tx: Ctx) => Promise<Result>): Promise<Result> {
  try {
    return await ctx.tx(write);
  } catch (error) {
    throw violatedIndex(error) === 'collections_slug' ? invalid({ slug: taken(`The slug ${slug} is taken.`) }) : error;
  }
}
