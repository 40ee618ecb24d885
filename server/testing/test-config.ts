import { type Config, readConfig } from '../src/config.ts';

/** The configuration of a platform under test, with what the test wants changed. */
export function testConfig(environment: Record<string, string> = {}): Config {
  return readConfig({ APP_ENV: 'testing', LOG_LEVEL: 'silent', SPARE_DATABASES: '0', PORT: '0', ...environment });
}
