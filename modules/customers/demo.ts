import { type Ctx, type Demo, type DemoPlan, type DemoStatistics, demoId, pick, type Random, sql } from '@chowk/kit';
import data from './demo-people.json' with { type: 'json' };
import { digitsFor, mailbox, scattered } from './demo-reach.ts';

const words = (text: string) => text.split(', ');
/** A name that is not in Latin letters has behind a slash how it is written in an email. `share` is of a hundred. */
const countries = data.countries.map(({ first, last, streets, cities, ...country }) => ({
  ...{ ...country, first: words(first), last: words(last), streets: words(streets) },
  cities: words(cities).map((place) => place.split(' in ')),
}));
type Country = (typeof countries)[number];

/** Customers that are written together: few enough that memory does not notice. */
const batchSize = 5_000;

const customerColumns = [
  ...['id', 'external_ids', 'email', 'phone', 'first_name', 'last_name', 'accepts_marketing', 'tags', 'notes'],
  ...['created_at', 'updated_at', 'total_orders', 'total_spent', 'avg_order_value', 'first_order_at', 'last_order_at'],
];
const addressColumns = [
  ...['id', 'customer_id', 'type', 'is_default', 'first_name', 'last_name', 'address1', 'city', 'state', 'pincode'],
  ...['country', 'phone', 'created_at', 'updated_at'],
];

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
      const rows = people.values().map((person, index) => rowOf(person, plan.statistics(from + index), random));
      await ctx.db.copy('customers', customerColumns, rows);
      await ctx.db.copy(
        'customer_addresses',
        addressColumns,
        people.flatMap((person) => addressesOf(person, random)),
      );
    }
  },
};

function peopleOf(plan: DemoPlan): (n: number) => Person {
  const random = plan.random('people');
  const homes = countries.flatMap((country) => Array.from({ length: country.share }, () => country));
  const mailNumber = scattered(random, digitsFor(plan.customers));
  const phoneNumbers = new Map(countries.map((country) => [country, scattered(random, country.phone.digits)]));
  return (n) => {
    const country = pick(random, homes);
    const [first = '', firstMail = first] = pick(random, country.first).split('/');
    const [last = '', lastMail = last] = pick(random, country.last).split('/');
    const host = pick(random, ['example.com', 'example.org', 'example.net', 'mail.example']);
    const email = `${mailbox(firstMail)}.${mailbox(lastMail)}${mailNumber(n)}@${host}`;
    const phone = `${country.phone.start}${phoneNumbers.get(country)?.(n)}`;
    const reach = random();
    return {
      ...{ id: plan.customerId(n), country, first, last, joinedAt: plan.joinedAt(n) },
      email: reach < 0.06 ? null : email,
      phone: reach > 0.88 ? null : phone,
    };
  };
}

function rowOf({ id, email, phone, first, last, joinedAt }: Person, statistics: DemoStatistics, random: Random) {
  const external = random() < 0.1 ? `{"shopify":"${Math.floor(random() * 1e10)}"}` : '{}';
  const tags = random() < 0.3 ? [...new Set([pick(random, data.tags), pick(random, data.tags)])] : [];
  const notes = random() < 0.05 ? pick(random, data.notes) : null;
  const [created, updated] = [new Date(joinedAt), new Date(statistics.orders > 0 ? statistics.lastAt : joinedAt)];
  const written = `{${tags.map((tag) => `"${tag}"`)}}`;
  return [
    ...[id, external, email, phone, first, last, random() < 0.45, written, notes, created, updated],
    ...statisticsOf(statistics),
  ];
}

/** As the aggregate over the orders has them: an average is rounded to hundredths, halves away from zero. */
function statisticsOf({ orders, spent, firstAt, lastAt }: DemoStatistics): unknown[] {
  if (orders === 0) return [0, 0, 0, null, null];
  const average = Math.floor((2 * spent + orders) / (2 * orders));
  return [orders, spent / 100, average / 100, new Date(firstAt), new Date(lastAt)];
}

function addressesOf(person: Person, random: Random): unknown[][] {
  const types = random() < 0.8 ? ['shipping', ...(random() < 0.2 ? ['billing'] : [])] : [];
  const { id, country, first, last, phone, joinedAt } = person;
  return types.map((type) => {
    const [city, state] = pick(random, country.cities);
    const street = `${1 + Math.floor(random() * 240)} ${pick(random, country.streets)}`;
    const lowest = 10 ** (country.pincode - 1);
    const pincode = lowest + Math.floor(random() * 9 * lowest);
    const at = new Date(joinedAt);
    return [
      ...[demoId(joinedAt, random), id, type, true, first, last, street, city, state, pincode],
      ...[country.name, random() < 0.5 ? phone : null, at, at],
    ];
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
