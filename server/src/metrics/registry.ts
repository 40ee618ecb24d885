import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Kernel } from '../kernel.ts';
import { measureBackups } from './backup-metrics.ts';
import { measureProcess } from './process-metrics.ts';
import { measureQueues } from './queue-metrics.ts';

let registryOfProcess: Registry | undefined;

/** Metrics of Node itself, collected once: the collectors run until the process ends. */
function nodeMetrics(): Registry {
  if (!registryOfProcess) {
    registryOfProcess = new Registry();
    collectDefaultMetrics({ register: registryOfProcess });
  }
  return registryOfProcess;
}

/** Metrics for Prometheus. No label identifies a tenant. */
export function createRegistry(kernel: Kernel): Registry {
  nodeMetrics();
  const registry = new Registry();
  measureProcess(registry, kernel);
  measureQueues(registry, kernel);
  measureBackups(registry, kernel);
  return registry;
}

export async function printMetrics(registry: Registry): Promise<{ readonly type: string; readonly text: string }> {
  const all = Registry.merge([nodeMetrics(), registry]);
  return { type: all.contentType, text: await all.metrics() };
}
