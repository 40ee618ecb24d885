import { expect, test } from 'vitest';
import { RequestTimes } from './request-times.ts';

test('a request is counted in every bucket that is not below it, and in the sum', () => {
  const times = new RequestTimes();
  for (const seconds of [0.001, 0.0011, 0.3, 7]) times.count('GET', '/things/:id', 204, seconds);
  times.count('POST', '/things/:id', 422, 0.02);
  const lines = times.text().split('\n');
  const labels = 'method="GET",route="/things/:id",status="2xx"';
  const bucket = (le: string) =>
    lines
      .find((line) => line.includes(`_bucket{le="${le}",${labels}}`))
      ?.split(' ')
      .at(-1);
  expect(['0.001', '0.0025', '0.25', '0.5', '5', '+Inf'].map(bucket)).toEqual(['1', '2', '2', '3', '3', '4']);
  expect(lines).toContain(`chowk_http_request_seconds_count{${labels}} 4`);
  expect(lines).toContain(`chowk_http_request_seconds_sum{${labels}} ${0.001 + 0.0011 + 0.3 + 7}`);
  expect(lines.filter((line) => line.includes('_count{') && line.includes('"4xx"'))).toHaveLength(1);
});
