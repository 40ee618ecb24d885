import { expect, test } from 'vitest';
import { Figures } from './figures.ts';

const gauges = { busy_connections: 2, waiting: 1, sockets: 3 };

test('a sample has what happened since the one before', () => {
  const figures = new Figures();
  figures.count(200, 10);
  figures.count(503, 30);
  figures.sample(gauges);
  figures.sample(gauges);
  expect(figures.samples).toMatchObject([
    { requests: 2, errors: 1, duration_ms: 20, ...gauges },
    { requests: 0, errors: 0, duration_ms: 0 },
  ]);
});

test('only the samples of the last half hour are kept', () => {
  const figures = new Figures();
  for (let index = 0; index < 200; index += 1) figures.sample({ ...gauges, sockets: index });
  expect(figures.samples).toHaveLength(180);
  expect(figures.samples.at(-1)).toMatchObject({ sockets: 199 });
});
