import { randomUUID } from 'node:crypto';

let lastMs = 0;
/** 12 bits that order the ids of one millisecond. */
let sequence = 0;

/**
 * A UUIDv7, greater than all that this process has made before. The random part is taken from `randomUUID`, which fetches
 * entropy for many ids at once.
 */
export function newId(): string {
  const random = randomUUID();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Half of the range is left for further ids of this millisecond.
    sequence = Number.parseInt(random.slice(0, 3), 16) & 0x7ff;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
  }
  const time = lastMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}${random.slice(18)}`;
}
