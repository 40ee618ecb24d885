import type { Person } from '../../server/testing/accounts.ts';

/* Customers as shops have them, for tests: long and Hindi names, long mail addresses, one without a name. */

export const longName = 'Venkatanarasimharajuvaripeta Satyanarayana Lakshmi Subrahmanyeswara Rao Bahadur XI';

const people = [
  { first_name: 'Priya', last_name: 'Sharma', email: 'priya.sharma@example.com', tags: ['wholesale', 'pune'] },
  { first_name: 'राजेश', last_name: 'कुमार श्रीवास्तव', email: 'rajesh.k@example.in', tags: ['थोक'] },
  {
    first_name: longName,
    last_name: null,
    email: 'v.s.l.s.rao.bahadur@narasimha-and-sons-trading.example.com',
    tags: [],
  },
  { first_name: 'Imran', last_name: 'Qureshi', email: null, tags: ['pune'] },
  {
    first_name: null,
    last_name: null,
    email: 'accounts.payable.department@malabar-spice-exports.example.com',
    tags: [],
  },
  { first_name: 'Siobhán', last_name: "D'Souza", email: 'siobhan@example.com', tags: ['vip', 'wholesale', 'goa'] },
  { first_name: 'Meera', last_name: 'Nair', email: 'meera.nair@example.com', tags: [] },
];

const items = [
  { name: 'Darjeeling first flush, loose leaf, 250 g', quantity: 2, price: '1249.50' },
  { name: 'Masala chai', quantity: 1, price: '349.00' },
];

/** Returns their ids, in this order. Some of them have ordered. */
export async function addCustomers(owner: Person): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, person] of people.entries()) {
    const phone = `+9198765432${String(10 + index)}`;
    const body = { ...person, phone, accepts_marketing: index % 2 === 0 };
    const { body: answer } = await owner.post('/api/v1/customers', body);
    ids.push(answer.customer.id);
  }
  for (const index of [0, 0, 0, 1, 2, 5]) await addOrder(owner, ids[index] as string);
  return ids;
}

export async function addOrder(owner: Person, customerId: string): Promise<void> {
  await owner.post('/api/v1/orders', { customer: { id: customerId }, items });
}
