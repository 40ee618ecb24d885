import {
  type Ctx,
  type Demo,
  type DemoPlan,
  type DemoStatistics,
  demoId,
  fillTable,
  pick,
  type Random,
  sql,
} from '@chowk/kit';
import data from './demo-people.json' with { type: 'json' };

const words = (text: string) => text.split(', ');
/** A name that is not in Latin letters has behind a slash how it is written in an email. `share` is of a hundred. */
const countries = data.countries.map(({ first, last, streets, cities, ...country }) => ({
  ...{ ...country, first: words(first), last: words(last), streets: words(streets) },
  cities: words(cities).map((place) => place.split(' in ')),
}));
type Country = (typeof countries)[number];

/** Customers that are written together: few enough that memory does not notice. */
const batchSize = 5_000;

interface Person {
  readonly id: string;
  readonly country: Country;
  readonly first: string;
  readonly last: string;
  readonly joinedAt: number;
  email: string | null;
  phone: string | null;
}

/** Comes last: a customer is written once, with what its orders add up to. */
export const demo: Demo = {
  after: ['orders', 'conversations'],
  async fill(ctx, plan) {
    const fresh = await isEmpty(ctx);
    const personOf = peopleOf(plan);
    const random = plan.random('customers');
    for (let from = 0; from < plan.customers; from += batchSize) {
      const numbers = Array.from({ length: Math.min(batchSize, plan.customers - from) }, (_, index) => from + index);
      const people = numbers.map(personOf);
      if (!fresh) await giveUpWhatIsTaken(ctx, people);
      await fillTable(
        ctx,
        'customers',
        people.map((person, index) => rowOf(person, plan.statistics(from + index), random)),
      );
      await fillTable(
        ctx,
        'customer_addresses',
        people.flatMap((person) => addressesOf(person, random)),
      );
    }
  },
};

function peopleOf(plan: DemoPlan): (n: number) => Person {
  const random = plan.random('people');
  const homes = countries.flatMap((country) => Array.from({ length: country.share }, () => country));
  const start = Math.floor(random() * 1e8);
  const mailDigits = String(plan.customers).length + 1;
  return (n) => {
    const country = pick(random, homes);
    const [first = '', firstMail = first] = pick(random, country.first).split('/');
    const [last = '', lastMail = last] = pick(random, country.last).split('/');
    const host = pick(random, ['example.com', 'example.org', 'example.net', 'mail.example']);
    const email = `${mailbox(firstMail)}.${mailbox(lastMail)}${scatter(start + n, mailDigits)}@${host}`;
    const phone = `${country.phone.start}${scatter(start + n, country.phone.digits)}`;
    const reach = random();
    return {
      ...{ id: plan.customerId(n), country, first, last, joinedAt: plan.joinedAt(n) },
      email: reach < 0.06 ? null : email,
      phone: reach > 0.88 ? null : phone,
    };
  };
}

/** The letters of a name that may stand in an email. */
function mailbox(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

/** As many digits, different for numbers that differ in their last digits: the factor has none in common with ten. */
function scatter(n: number, digits: number): string {
  return String((n * 7_368_787) % 10 ** digits).padStart(digits, '0');
}

function rowOf({ id, email, phone, first, last, joinedAt }: Person, statistics: DemoStatistics, random: Random) {
  const tags = random() < 0.3 ? [...new Set([pick(random, data.tags), pick(random, data.tags)])] : [];
  return {
    ...{ id, email, phone, first_name: first, last_name: last },
    external_ids: random() < 0.1 ? `{"shopify":"${Math.floor(random() * 1e10)}"}` : '{}',
    accepts_marketing: random() < 0.45,
    tags: `{${tags.map((tag) => `"${tag}"`)}}`,
    notes: random() < 0.05 ? pick(random, data.notes) : null,
    created_at: new Date(joinedAt),
    updated_at: new Date(statistics.orders > 0 ? statistics.lastAt : joinedAt),
    ...statisticsOf(statistics),
  };
}

/** As the aggregate over the orders has them: an average is rounded to hundredths, halves away from zero. */
function statisticsOf({ orders, spent, firstAt, lastAt }: DemoStatistics) {
  const average = orders && Math.floor((2 * spent + orders) / (2 * orders));
  const times = { first_order_at: orders ? new Date(firstAt) : null, last_order_at: orders ? new Date(lastAt) : null };
  return { total_orders: orders, total_spent: spent / 100, avg_order_value: average / 100, ...times };
}

function addressesOf({ id, country, first, last, phone, joinedAt }: Person, random: Random) {
  const types = random() < 0.8 ? ['shipping', ...(random() < 0.2 ? ['billing'] : [])] : [];
  const person = { customer_id: id, is_default: true, first_name: first, last_name: last, country: country.name };
  const times = { created_at: new Date(joinedAt), updated_at: new Date(joinedAt) };
  return types.map((type) => {
    const [city, state] = pick(random, country.cities);
    const address1 = `${1 + Math.floor(random() * 240)} ${pick(random, country.streets)}`;
    const lowest = 10 ** (country.pincode - 1);
    const pincode = lowest + Math.floor(random() * 9 * lowest);
    const place = { address1, city, state, pincode, phone: random() < 0.5 ? phone : null };
    return { id: demoId(joinedAt, random), type, ...person, ...place, ...times };
  });
}

async function isEmpty(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.row(sql`SELECT FROM customers LIMIT 1`)) === undefined;
}

/** Two customers never share an address: who comes later does without. */
async function giveUpWhatIsTaken(ctx: Ctx, people: readonly Person[]): Promise<void> {
  const rows = await ctx.db.rows<{ email: string | null; phone: string | null }>(sql`
    SELECT email, phone FROM customers WHERE deleted_at IS NULL AND (
      email = ANY(${people.map(({ email }) => email)}::text[]) OR phone = ANY(${people.map(({ phone }) => phone)}::text[]))`);
  const [emails, phones] = [new Set(rows.map(({ email }) => email)), new Set(rows.map(({ phone }) => phone))];
  for (const person of people) {
    if (emails.has(person.email)) person.email = null;
    if (phones.has(person.phone)) person.phone = null;
  }
}
