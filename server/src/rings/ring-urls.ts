import { whenReady } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import type { Directory } from '../tenancy/directory.ts';
import type { FindUrl } from './ring-forwarder.ts';

/** Finds the process of another ring in `RING_URLS`, else by `k8s_service` of its row. */
export function ringUrlFinder({ ringUrls }: Pick<Config, 'ringUrls'>, directory: Pick<Directory, 'rings'>): FindUrl {
  return (name) =>
    ringUrls[name] ??
    whenReady(directory.rings(), (rings) => {
      const service = rings.find((ring) => ring.name === name)?.k8s_service;
      return service ? `http://${service}` : undefined;
    });
}
