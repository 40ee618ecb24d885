import {
  batches,
  type Ctx,
  type Demo,
  type DemoPlan,
  type DemoTotals,
  demoId,
  fillTables,
  pick,
  type Random,
  sql,
} from '@chowk/kit';
import data from './demo-people.json' with { type: 'json' };

interface DemoCustomers {
  readonly count: number;
  /** Customers are numbered from 0 in the order in which they joined; their ids ascend likewise. */
  getId(n: number): string;
  /** In milliseconds since 1970. */
  joinedAt(n: number): number;
}

declare module '@chowk/kit/catalogue' {
  interface DemoShares {
    customers: DemoCustomers;
  }
}

const words = (text: string) => text.split(', ');
/** A name in another script is followed by a slash and its Latin letters. `share` is a percentage. */
const countries = data.countries.map(({ first, last, streets, cities, ...country }) => ({
  ...country,
  first: words(first),
  last: words(last),
  streets: words(streets),
  cities: words(cities).map((place) => place.split(' in ')),
}));
const weightedCountries = countries.flatMap((country) => Array<typeof country>(country.share).fill(country));
const hosts = ['example.com', 'example.org', 'example.net', 'mail.example'];

/** The age of the shop, in milliseconds. */
const span = 3 * 365 * 86_400_000;

/** Customers are written last, once and with their order statistics. */
export const demo: Demo<DemoCustomers> = {
  after: ['orders', 'conversations'],
  share: shareCustomers,
  isEmpty: async (ctx) => (await ctx.db.row(sql`SELECT FROM customers LIMIT 1`)) === undefined,
  async fill(ctx, plan) {
    const { 'general.currency': currency } = await ctx.settings();
    const isEmpty = !(await ctx.db.row(sql`SELECT FROM customers LIMIT 1`));
    const generatePerson = people(plan);
    const random = plan.random('customers');
    for (const batch of batches(plan.size)) {
      const persons = batch.map(generatePerson);
      if (!isEmpty) await dropTakenContacts(ctx, persons);
      await fillTables(ctx, {
        customers: persons.map((person) => customerRow(plan, person, currency, random)),
        customer_addresses: persons.flatMap((person) => addressRows(person, random)),
      });
    }
  },
};

/** The shop grows: more customers join as time passes. */
function shareCustomers({ size, today, random }: DemoPlan): DemoCustomers {
  const joinedAt = (n: number) => {
    const position = (n + 0.9 * random('joined', n)()) / size;
    return Math.floor(today - span + span * Math.sqrt(position));
  };
  return { count: size, joinedAt, getId: (n) => demoId(joinedAt(n), random('customer', n)) };
}

type Person = ReturnType<ReturnType<typeof people>>;

function people(plan: DemoPlan) {
  const random = plan.random('people');
  const { getId, joinedAt } = shareCustomers(plan);
  const start = Math.floor(random() * 1e8);
  const mailDigits = String(plan.size).length + 1;
  return (n: number) => {
    const country = pick(random, weightedCountries);
    const [first = '', latinFirst = first] = pick(random, country.first).split('/');
    const [last = '', latinLast = last] = pick(random, country.last).split('/');
    const mailbox = `${asciiLetters(latinFirst)}.${asciiLetters(latinLast)}${scatter(start + n, mailDigits)}`;
    const email: string | null = `${mailbox}@${pick(random, hosts)}`;
    const phone: string | null = `${country.phone.start}${scatter(start + n, country.phone.digits)}`;
    const contact = random();
    return {
      n,
      id: getId(n),
      joinedAt: joinedAt(n),
      country,
      name: { first_name: first, last_name: last },
      email: contact < 0.06 ? null : email,
      phone: contact > 0.88 ? null : phone,
    };
  };
}

function asciiLetters(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

/** Digits that differ for numbers whose last digits differ: the factor is coprime to ten. */
function scatter(n: number, digits: number): string {
  return String((n * 7_368_787) % 10 ** digits).padStart(digits, '0');
}

function customerRow(
  plan: DemoPlan,
  { n, id, email, phone, name, joinedAt }: Person,
  currency: string,
  random: Random,
) {
  const tags = random() < 0.3 ? new Set([pick(random, data.tags), pick(random, data.tags)]) : [];
  const totals = plan.shared('orders')?.get(n) ?? { count: 0, sum: 0, firstTime: 0, lastTime: 0 };
  return {
    id,
    email,
    phone,
    ...name,
    external_ids: random() < 0.1 ? `{"shopify":"${Math.floor(random() * 1e10)}"}` : '{}',
    accepts_marketing: random() < 0.45,
    tags: `{${[...tags].map((tag) => `"${tag}"`)}}`,
    notes: random() < 0.05 ? pick(random, data.notes) : null,
    created_at: new Date(joinedAt),
    updated_at: new Date(Math.max(joinedAt, totals.lastTime)),
    ...orderStatistics(totals),
    currency: totals.count ? currency : null,
  };
}

/** Averages are rounded like numeric(18, 2): halves away from zero. */
function orderStatistics({ count, sum, firstTime, lastTime }: ReturnType<DemoTotals['get']>) {
  return {
    total_orders: count,
    total_spent: sum / 100,
    avg_order_value: count && Math.floor((2 * sum + count) / (2 * count)) / 100,
    first_order_at: count ? new Date(firstTime) : null,
    last_order_at: count ? new Date(lastTime) : null,
  };
}

function addressRows({ id, country, name, phone, joinedAt }: Person, random: Random) {
  const types = random() < 0.8 ? ['shipping', ...(random() < 0.2 ? ['billing'] : [])] : [];
  return types.map((type) => {
    const [city, state] = pick(random, country.cities);
    const minPincode = 10 ** (country.pincode - 1);
    return {
      id: demoId(joinedAt, random),
      customer_id: id,
      type,
      is_default: true,
      ...name,
      country: country.name,
      address1: `${1 + Math.floor(random() * 240)} ${pick(random, country.streets)}`,
      city,
      state,
      pincode: minPincode + Math.floor(random() * 9 * minPincode),
      phone: random() < 0.5 ? phone : null,
      created_at: new Date(joinedAt),
      updated_at: new Date(joinedAt),
    };
  });
}

/** Removes emails and phones that existing customers have. */
async function dropTakenContacts(ctx: Ctx, persons: Person[]): Promise<void> {
  const [emails, phones] = [persons.map(({ email }) => email), persons.map(({ phone }) => phone)];
  const rows = await ctx.db.rows<{ email: string | null; phone: string | null }>(sql`
    SELECT email, phone FROM customers
    WHERE deleted_at IS NULL AND (email = ANY(${emails}::text[]) OR phone = ANY(${phones}::text[]))`);
  const taken = new Set(rows.flatMap(({ email, phone }) => [email, phone]));
  for (const person of persons) {
    if (taken.has(person.email)) person.email = null;
    if (taken.has(person.phone)) person.phone = null;
  }
}
