/* The rings of the tests, for `bench/rings.ts`. */

export { type RingName, ringVersions, writeRingPackages } from '../../server/testing/ring-packages.ts';
export { RingSocket } from '../../server/testing/ring-sockets.ts';
