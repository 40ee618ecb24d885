import { setTimeout as pause } from 'node:timers/promises';
import { action, type Ctx, job, Type } from '@chowk/kit';
import { testModule } from './test-module.ts';

/* Two modules that call, tell and ask each other for nothing in particular: what is measured is the way between them. */

const common = { tag: 'Bench', needs: 'bench.view', audited: false } as const;
const Counted = Type.Object({ n: Type.Integer() });

const echo = action({
  summary: 'Answer with the input',
  public: true,
  bus: { rateLimit: 1_000_000_000 },
  input: Counted,
  output: Counted,
  run: async (_ctx, { n }) => ({ n }),
});

/** Called with each event and each job that arrives. */
let arrived = (_n: number) => {};

const near = testModule({
  alias: 'near',
  consumes: ['far.echo'],
  emits: ['near.happened'],
  jobs: {
    'near.work': job({ data: Counted, run: async (_ctx, { n }) => arrived(n) }),
  },
  actions: {
    'near.bus': action({
      ...common,
      http: 'POST /bench/bus',
      summary: 'Call an action so many times, over the bus and as the plain function it is',
      input: Type.Object({ calls: Type.Integer() }),
      run: async (ctx, { calls }) => {
        const plain = await timed(calls, (n) => echo.run(ctx, { n }));
        const bus = await timed(calls, (n) => ctx.bus.call('far.echo' as never, { n } as never));
        return { plain, bus };
      },
    }),
    'near.events': action({
      ...common,
      http: 'POST /bench/events',
      summary: 'Emit so many events, ten to a transaction, and wait until all have arrived',
      input: Type.Object({ events: Type.Integer() }),
      run: async (ctx, { events }) => {
        const began = performance.now();
        const all = arrivals(events);
        for (let n = 0; n < events; n += 10) {
          await ctx.tx(async (inner) => {
            for (let m = n; m < n + 10; m += 1) await inner.emit('near.happened' as never, { n: m } as never);
          });
        }
        const emitted = performance.now() - began;
        await all;
        return { emitted, delivered: performance.now() - began };
      },
    }),
    'near.jobs': action({
      ...common,
      http: 'POST /bench/jobs',
      summary: 'Add so many jobs at an even pace and tell how long each waited until it was begun',
      input: Type.Object({ jobs: Type.Integer(), perSecond: Type.Number() }),
      run: async (ctx, { jobs, perSecond }) => ({ waited: await addEvenly(ctx, jobs, perSecond) }),
    }),
  },
});

const far = testModule({
  alias: 'far',
  actions: { 'far.echo': echo },
  listeners: [
    {
      event: 'near.happened',
      when: 'after_commit',
      name: 'count',
      run: async (_ctx, payload) => arrived((payload as { n: number }).n),
    },
  ],
});

export const benchModules = [near, far];

/** Microseconds for one call. */
async function timed(calls: number, call: (n: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < calls; n += 1) await call(n);
  return ((performance.now() - began) * 1_000) / calls;
}

function arrivals(count: number): Promise<void> {
  const seen = new Set<number>();
  return new Promise((resolve) => {
    arrived = (n) => {
      seen.add(n);
      if (seen.size === count) resolve();
    };
  });
}

async function addEvenly(ctx: Ctx, jobs: number, perSecond: number): Promise<number[]> {
  const addedAt = new Map<number, number>();
  const waited: number[] = [];
  const done = new Promise<void>((resolve) => {
    arrived = (n) => {
      waited.push(performance.now() - (addedAt.get(n) ?? 0));
      if (waited.length === jobs) resolve();
    };
  });
  const began = performance.now();
  for (let n = 0; n < jobs; n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    addedAt.set(n, performance.now());
    void ctx.jobs.add('near.work' as never, { n } as never);
  }
  await done;
  return waited;
}
