import { type Ctx, filter, invalid, join, type Sql, type Static, sql, Type, Uuid } from '@chowk/kit';
import type { Collection, Condition, Rule } from './collection-schemas.ts';
import { fail } from './errors.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type StoredCollection = Pick<Static<typeof Collection>, 'id' | 'rule'>;

export async function findCollection(ctx: Ctx, id: string): Promise<StoredCollection> {
  const found = await findByKey(ctx, id);
  if (!found) throw fail('products.collection_not_found', { key: id });
  return found;
}

/** By id or slug. */
function findByKey(ctx: Ctx, key: string): Promise<StoredCollection | undefined> {
  return ctx.db.row<StoredCollection>(
    uuid.test(key)
      ? sql`SELECT id, rule FROM collections WHERE id = ${key}`
      : sql`SELECT id, rule FROM collections WHERE slug = ${key}`,
  );
}

/** The products of a collection, for lists. */
export const inCollection = filter(
  Type.String({ maxLength: 100, description: 'The id or the slug of a collection.', examples: ['summer'] }),
  async (key, ctx) => {
    const found = await findByKey(ctx, key);
    if (!found) throw invalid({ collection: { code: 'unknown', message: `There is no collection ${key}.` } });
    return isMember(found);
  },
);

/** A condition on `products p`. */
export function isMember({ id, rule }: StoredCollection): Sql {
  if (rule) return matches(rule);
  return sql`p.id IN (SELECT product_id FROM collection_products WHERE collection_id = ${id})`;
}

function matches({ match, conditions }: Static<typeof Rule>): Sql {
  return sql`(${join(conditions.map(condition), match === 'any' ? ' OR ' : ' AND ')})`;
}

const comparisons = { is: sql`=`, is_not: sql`<>`, above: sql`>`, below: sql`<` };

function condition({ field, operator, value }: Static<typeof Condition>): Sql {
  if (field === 'tag') return negated(operator, sql`p.tags @> ARRAY[${value}]::text[]`);
  if (field === 'category') return negated(operator, sql`p.categories @> ARRAY[${value}]::text[]`);
  if (field === 'title') {
    return operator === 'contains'
      ? sql`p.title_key LIKE fold_pattern(${value})`
      : negated(operator, sql`p.title_key = fold(${value})`);
  }
  const column = field === 'price' ? sql`p.price` : sql`p.stock - p.reserved`;
  return sql`${column} ${comparisons[operator as keyof typeof comparisons]} ${value}::numeric`;
}

function negated(operator: string, condition: Sql): Sql {
  return operator === 'is_not' ? sql`NOT (${condition})` : condition;
}

const Ids = Type.Array(Uuid);
export const MembershipQuery = Type.Object({ product_ids: Ids, collection_ids: Ids });
export const Memberships = Type.Array(Type.Object({ product_id: Uuid, collection_ids: Ids }));

/** Which of the collections each product is in. */
export async function findMemberships(
  ctx: Ctx,
  { product_ids, collection_ids }: Static<typeof MembershipQuery>,
): Promise<Static<typeof Memberships>> {
  const collections = await ctx.db.rows<StoredCollection>(
    sql`SELECT id, rule FROM collections WHERE id = ANY(${collection_ids}::uuid[]) ORDER BY id`,
  );
  if (collections.length === 0) return [];
  const found = collections.map((collection) => sql`CASE WHEN ${isMember(collection)} THEN ${collection.id}::uuid END`);
  return ctx.db.rows(sql`
    SELECT p.id AS product_id, array_remove(ARRAY[${join(found, ', ')}], NULL) AS collection_ids
    FROM products p WHERE p.id = ANY(${product_ids}::uuid[])`);
}
