import { compareWithFastify } from './compare-with-fastify.ts';

/* What does the whole request pipeline cost, compared with the same queries behind plain Fastify? */

await compareWithFastify(
  'The request pipeline and plain Fastify',
  [
    { name: 'one row by id', path: '/api/v1/bench/items/5000', target: '≥ 0.85' },
    { name: 'list of 20 in 10,000', path: '/api/v1/bench/items?per_page=20', target: '≥ 0.85' },
    { name: 'no query', path: '/api/v1/bench/nothing', target: '' },
  ],
  (platform, headers) => platform.post('/api/v1/bench/items', { rows: 10_000 }, headers),
);
