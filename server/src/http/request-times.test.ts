import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RequestTimes } from './request-times.ts';

test('a request counts in every bucket from its duration upward', async () => {
  const times = new RequestTimes();
  const request = { method: 'GET', route: '/things', status: 201 };
  for (const seconds of [0.001, 0.02, 7]) times.observe(request, seconds);
  const registry = new Registry();
  registry.registerMetric(times as never);
  const text = await registry.metrics();
  const labels = 'method="GET",route="/things",status="2xx"';
  const bucket = (bound: string) => {
    const line = text.split('\n').find((one) => one.includes('_bucket{') && one.includes(`le="${bound}"`));
    return Number(line?.split(' ').at(-1));
  };
  expect(['0.001', '0.01', '0.025', '5', '+Inf'].map(bucket)).toEqual([1, 1, 2, 2, 3]);
  expect(text).toContain(`chowk_http_request_seconds_sum{${labels}} 7.021`);
  expect(text).toContain(`chowk_http_request_seconds_count{${labels}} 3`);
  expect(text).toContain('# TYPE chowk_http_request_seconds histogram');
});
