import { action, type Ctx, extend, job, Type } from '@chowk/kit';
import { testModule } from '../../server/testing/test-module.ts';
import { atRate, preciseTime } from '../pace.ts';
import { benchPermission } from './actions.ts';

/* Two modules without logic of their own, to measure bus calls, events and jobs between modules. */

const restricted = { tag: 'Bench', needs: benchPermission, audited: false } as const;
const Numbered = Type.Object({ n: Type.Integer() });
const Rate = Type.Object({ events: Type.Integer(), perSecond: Type.Number() });

const echo = action({
  summary: 'Return the input',
  public: true,
  bus: { rateLimit: 1_000_000_000 },
  input: Numbered,
  output: Numbered,
  run: async (_ctx, { n }) => ({ n }),
});

/** Called for each event and job that is delivered. */
let onDelivery = (_n: number) => {};

const sender = testModule({
  alias: 'sender',
  consumes: ['receiver.echo'],
  emits: ['sender.happened'],
  jobs: {
    'sender.work': job({ data: Numbered, run: async (_ctx, { n }) => onDelivery(n) }),
  },
  actions: {
    'sender.bus': action({
      ...restricted,
      http: 'POST /bench/bus',
      summary: 'Call an action repeatedly, over the bus and as a plain function',
      input: Type.Object({ calls: Type.Integer() }),
      run: async (ctx, { calls }) => {
        const plain = await microsPerCall(calls, (n) => echo.run(ctx, { n }));
        const bus = await microsPerCall(calls, (n) => ctx.bus.call('receiver.echo' as never, { n } as never));
        return { plain, bus };
      },
    }),
    'sender.events': action({
      ...restricted,
      http: 'POST /bench/events',
      summary: 'Emit events, ten in each transaction, and wait until all are delivered',
      input: Type.Object({ events: Type.Integer() }),
      run: async (ctx, { events }) => {
        const startedAt = performance.now();
        const allDelivered = countDeliveries(events);
        for (let n = 0; n < events; n += 10) {
          await ctx.tx(async (inner) => {
            const payloads = Array.from({ length: 10 }, (_, m) => ({ n: n + m }));
            await inner.emitAll('sender.happened' as never, payloads as never);
          });
        }
        const emitted = performance.now() - startedAt;
        await allDelivered;
        return { emitted, delivered: performance.now() - startedAt };
      },
    }),
    'sender.jobs': action({
      ...restricted,
      http: 'POST /bench/jobs',
      summary: 'Add jobs at an even rate and return how long each waited before it started',
      input: Type.Object({ jobs: Type.Integer(), perSecond: Type.Number() }),
      run: async (ctx, { jobs, perSecond }) => ({ waited: await addJobs(ctx, jobs, perSecond) }),
    }),
    'sender.broadcasts': action({
      ...restricted,
      http: 'POST /bench/broadcasts',
      summary: 'Broadcast events at an even rate, each to one of the channels',
      input: extend(Rate, { channels: Type.Integer() }),
      run: async (ctx, { events, perSecond, channels }) => {
        await atRate(events, perSecond, (n) => ctx.broadcast(`bench.${n % channels}`, 'tick', { at: preciseTime() }));
        return {};
      },
    }),
    'sender.notifications': action({
      ...restricted,
      http: 'POST /bench/notifications',
      summary: 'Notify the caller at an even rate',
      input: Rate,
      run: async (ctx, { events, perSecond }) => {
        await atRate(events, perSecond, (n) => {
          const body = JSON.stringify({ at: preciseTime() });
          return ctx.notify(ctx.user.id, { type: 'bench.sent', title: `Order ${n}`, body });
        });
        return {};
      },
    }),
  },
});

const receiver = testModule({
  alias: 'receiver',
  actions: { 'receiver.echo': echo },
  listeners: [
    {
      event: 'sender.happened',
      when: 'after_commit',
      name: 'count',
      run: async (_ctx, payload) => onDelivery((payload as { n: number }).n),
    },
  ],
});

export const benchModules = [sender, receiver];

async function microsPerCall(calls: number, call: (n: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let n = 0; n < calls; n += 1) await call(n);
  return ((performance.now() - startedAt) * 1_000) / calls;
}

/** Resolves when `count` different numbers have been delivered. */
function countDeliveries(count: number): Promise<void> {
  const delivered = new Set<number>();
  return new Promise((resolve) => {
    onDelivery = (n) => {
      delivered.add(n);
      if (delivered.size === count) resolve();
    };
  });
}

async function addJobs(ctx: Ctx, jobs: number, perSecond: number): Promise<number[]> {
  const addedAt = new Map<number, number>();
  const waited: number[] = [];
  const allStarted = new Promise<void>((resolve) => {
    onDelivery = (n) => {
      waited.push(performance.now() - (addedAt.get(n) ?? 0));
      if (waited.length === jobs) resolve();
    };
  });
  await atRate(jobs, perSecond, (n) => {
    addedAt.set(n, performance.now());
    void ctx.jobs.add('sender.work' as never, { n } as never);
  });
  await allStarted;
  return waited;
}
