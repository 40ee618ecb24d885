import { type Config, readConfig } from '../src/config/config.ts';
import { SecretBox } from '../src/secrets.ts';

/** The same in every process, so that processes can read each other's secrets. */
export const testSecrets = new SecretBox(Buffer.alloc(32, 'test'));

/** The configuration of a platform under test. */
export function testConfig(environment: Record<string, string> = {}): Config {
  return readConfig({
    APP_ENV: 'testing',
    LOG_LEVEL: 'silent',
    PORT: '0',
    SPARE_DATABASES: '0',
    // Faster than wal_log: the test server runs without fsync, so the checkpoint is cheap.
    DATABASE_COPY_STRATEGY: 'file_copy',
    ...environment,
  });
}
