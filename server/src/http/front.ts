import { type Log, whenReady } from '@chowk/kit/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { fail } from '../errors.ts';
import { networkPrefix } from '../network.ts';
import { RateLimiter } from '../rate-limiter.ts';
import type { RingForwarder } from '../rings/ring-forwarder.ts';
import type { Directory } from '../tenancy/directory.ts';
import { createApp } from './app.ts';
import { forwardStep } from './forward.ts';
import { stopGracefully } from './graceful-stop.ts';
import { routeUpgrades } from './upgrades.ts';

interface FrontOptions {
  readonly config: Config;
  readonly log: Log;
  readonly directory: Directory;
  readonly forwarder: RingForwarder;
}

/** Creates the HTTP server that sends every request to the ring of its tenant or its host, else to the default ring. */
export function createFront({ config, log, directory, forwarder }: FrontOptions): FastifyInstance {
  const app = createApp(config, log);
  const limit = config.rateLimitPerMinute;
  const limiter = new RateLimiter();
  const findNetwork = ({ ip }: FastifyRequest) => networkPrefix(ip);
  const findDefault = () => whenReady(directory.rings(), (rings) => rings.find(({ is_default }) => is_default)?.name);
  const forward = forwardStep(app, {
    directory,
    forwarder,
    upgrades: routeUpgrades(app),
    choose: (named) => named ?? findDefault(),
    isLimited: (request) => limit > 0 && !limiter.peek(findNetwork(request), limit, Date.now()).allowed,
    onUnknown: (request) => limiter.take(findNetwork(request), limit, Date.now()),
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url: path } = request;
    forward(request, reply, (error) => done(error ?? fail('http.not_found', { method, path })));
  });
  stopGracefully(app);
  return app;
}
