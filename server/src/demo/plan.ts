import type { Demo, DemoPlan, Random } from '@chowk/kit/kernel';

const day = 86_400_000;

interface Request {
  readonly size: number;
  readonly seed: number;
  readonly now: Date;
}

export function makePlan({ size, seed, now }: Request, demos: ReadonlyMap<string, Demo>): DemoPlan {
  const shares = new Map<string, unknown>();
  const plan: DemoPlan = {
    size,
    today: Math.floor(now.getTime() / day) * day,
    random: (name, number = 0) => mulberry32(mix((hash(name) ^ seed) + number)),
    shared(alias) {
      if (!shares.has(alias)) shares.set(alias, demos.get(alias)?.share?.(plan));
      return shares.get(alias) as never;
    },
  };
  return plan;
}

/** Mulberry32: small, fast, and random enough for demo data. */
function mulberry32(seed: number): Random {
  let state = seed;
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
  return mix(value);
}

/** The last step of MurmurHash3: neighbouring numbers get unrelated results. */
function mix(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
