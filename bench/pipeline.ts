import { sideBySide } from './side-by-side.ts';

/* What does the whole pipeline cost, beside the same query behind bare Fastify? */

await sideBySide(
  'The whole pipeline beside bare Fastify',
  [
    { name: 'one row by id', path: '/api/v1/bench/items/5000', aim: '≥ 0.85' },
    { name: 'list of 20 in 10,000', path: '/api/v1/bench/items?per_page=20', aim: '≥ 0.85' },
    { name: 'no query', path: '/api/v1/bench/nothing', aim: '' },
  ],
  (platform, headers) => platform.post('/api/v1/bench/items', { rows: 10_000 }, headers),
);
