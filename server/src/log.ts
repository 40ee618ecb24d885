import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config/config.ts';

/** Writes JSON in production and readable lines elsewhere. */
export function createLog({ logLevel, appEnv, ringName, setVariables }: Config) {
  const options = {
    level: logLevel,
    // The processes of several rings may share an output.
    base: setVariables.includes('RING_NAME') ? { ring: ringName } : null,
    redact: { paths: ['password', 'authorization', '*.password', '*.authorization'], censor: '••••' },
  };
  if (appEnv === 'production') return pino(options);
  return pino(options, pretty({ sync: true, colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss' }));
}
