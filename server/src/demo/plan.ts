import { type DemoPlan, type DemoProduct, demoId, type Random } from '@chowk/kit';

const day = 86_400_000;
/** How long ago the first customer came. */
const span = 3 * 365 * day;

/** What is made up, for a seed and a day. A million customers take some twenty megabytes. */
export function makePlan({ customers, seed, now }: { customers: number; seed: number; now: Date }): DemoPlan {
  const today = Math.floor(now.getTime() / day) * day;
  const start = today - span;
  const products: DemoProduct[] = [];
  const orders = new Uint32Array(customers);
  const spent = new Float64Array(customers);
  // In seconds from the start, and one more: nothing is no time.
  const first = new Uint32Array(customers);
  const last = new Uint32Array(customers);
  const [joining, naming] = [keyOf(seed, 'joined'), keyOf(seed, 'customer')];
  const momentOf = (seconds: number) => (seconds === 0 ? 0 : start + (seconds - 1) * 1_000);

  /** More of them the later it is: the shop grows. Less than one apart, so that they ascend. */
  const joinedAt = (n: number) => {
    const place = (n + 0.9 * streamFrom(joining + n)()) / customers;
    return Math.floor(start + span * Math.sqrt(place));
  };

  return {
    customers,
    today,
    products,
    random: (name) => streamFrom(keyOf(seed, name)),
    joinedAt,
    customerId: (n) => demoId(joinedAt(n), streamFrom(naming + n)),
    note(n, { total, placedAt }) {
      const at = Math.round((placedAt - start) / 1_000) + 1;
      orders[n] = (orders[n] ?? 0) + 1;
      spent[n] = (spent[n] ?? 0) + total;
      if (first[n] === 0 || at < (first[n] ?? 0)) first[n] = at;
      if (at > (last[n] ?? 0)) last[n] = at;
    },
    statistics: (n) => ({
      orders: orders[n] ?? 0,
      spent: spent[n] ?? 0,
      firstAt: momentOf(first[n] ?? 0),
      lastAt: momentOf(last[n] ?? 0),
    }),
  };
}

function keyOf(seed: number, name: string): number {
  return mix(hash(name) ^ seed);
}

/** Mulberry32: small, quick, and good enough to make things up. */
function streamFrom(key: number): Random {
  let state = mix(key);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value;
}

/** The last step of MurmurHash3: numbers that are near each other lead far apart. */
function mix(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
