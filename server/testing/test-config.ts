import { type Config, readConfig } from '../src/config.ts';
import { SecretBox } from '../src/secrets.ts';

/** The same in every process of a test. */
export const testSecrets = new SecretBox(Buffer.alloc(32, 'test'));

/** The configuration of a platform under test, with what the test wants changed. */
export function testConfig(environment: Record<string, string> = {}): Config {
  return readConfig({
    APP_ENV: 'testing',
    LOG_LEVEL: 'silent',
    PORT: '0',
    SPARE_DATABASES: '0',
    // The test server does not wait for the disk, so the checkpoint that this forces costs nothing.
    DATABASE_COPY_STRATEGY: 'file_copy',
    ...environment,
  });
}
