import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config/config.ts';

/** Writes JSON in production and readable lines elsewhere. */
export function createLog({ logLevel, appEnv }: Pick<Config, 'logLevel' | 'appEnv'>) {
  const options = {
    level: logLevel,
    base: null,
    redact: { paths: ['password', 'authorization', '*.password', '*.authorization'], censor: '••••' },
  };
  if (appEnv === 'production') return pino(options);
  return pino(options, pretty({ sync: true, colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss' }));
}
