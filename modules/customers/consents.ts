import { type Ctx, columnsFor, invalid, Line, Nullable, type Static, sql, Type, Uuid } from '@chowk/kit';
import { lockActive } from './find.ts';
import { readPhone } from './phone.ts';
import { saveCustomer } from './save.ts';
import { CustomerConsent } from './schemas.ts';

const maxListed = 20;

/** The latest changes of a row of `customers c`, newest first. */
export const consentsWithin = sql`(SELECT coalesce(json_agg(m), '[]') FROM (
  SELECT ${columnsFor(CustomerConsent, sql`m`)} FROM customer_consents m WHERE m.customer_id = c.id
  ORDER BY m.created_at DESC, m.id DESC LIMIT ${maxListed}) m)`;

const text = Type.Optional(Type.String());
export const ConsentInput = Type.Object({
  customer_id: Type.Optional(Uuid),
  phone: text,
  email: text,
  accepts_marketing: Type.Optional(Type.Boolean()),
  text: Type.Optional(
    Type.String({
      description: 'A message of the customer. STOP withdraws, START gives consent; others change nothing.',
    }),
  ),
  source: Line(50, { examples: ['sms'] }),
});
type ConsentInput = Static<typeof ConsentInput>;

export const ConsentResult = Type.Object({
  customer_id: Nullable(Uuid),
  accepts_marketing: Nullable(Type.Boolean()),
});
type ConsentResult = Static<typeof ConsentResult>;

/** Both are null if there is no such customer, or the text says nothing about consent. */
export async function recordConsent(ctx: Ctx, input: ConsentInput): Promise<ConsentResult> {
  const accepts_marketing = input.accepts_marketing ?? readConsent(input.text ?? '');
  if (accepts_marketing === null) {
    if (input.text !== undefined) return { customer_id: null, accepts_marketing };
    throw invalid({ accepts_marketing: { code: 'required', message: 'Give accepts_marketing or text.' } });
  }
  const id = input.customer_id ?? (await findId(ctx, input));
  if (id === undefined) return { customer_id: null, accepts_marketing: null };
  const customer = await lockActive(ctx, id);
  await saveCustomer(ctx, customer, { accepts_marketing }, input.source);
  return { customer_id: customer.id, accepts_marketing };
}

const withdrawals = new Set(['stop', 'stopall', 'unsubscribe', 'optout', 'quit', 'end', 'cancel', 'revoke']);
const consents = new Set(['start', 'unstop', 'subscribe']);

/** The words that carriers know; the whole text must be one. `yes` is too often an answer to something else. */
function readConsent(message: string): boolean | null {
  const word = message.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (withdrawals.has(word)) return false;
  return consents.has(word) ? true : null;
}

async function findId(ctx: Ctx, { phone, email }: ConsentInput): Promise<string | undefined> {
  const isAsked =
    phone === undefined
      ? sql`email = ${email?.trim().toLowerCase() ?? null}`
      : sql`phone = ${(await readPhone(ctx, phone)) ?? null}`;
  const row = await ctx.db.row<{ id: string }>(sql`SELECT id FROM customers WHERE ${isAsked} AND deleted_at IS NULL`);
  return row?.id;
}
