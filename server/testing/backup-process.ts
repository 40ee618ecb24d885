import { Readable } from 'node:stream';
import { backUpPlatform } from '../src/backup/create-backup.ts';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { backupServices } from '../src/operator/backup-services.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/** Backs up the platform and kills itself in the middle of a file, or before the manifest is written. */
const [moment = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const kernel = await boot({ config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets });
const services = await backupServices(kernel);

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal stops the process, but not before this returns.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

async function* dieWithin(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk;
    // Some of it has reached the place.
    await new Promise((resolve) => setTimeout(resolve, 100));
    die();
  }
}

await backUpPlatform({
  ...services,
  files: Object.assign(Object.create(services.files), {
    async readContent(...call: Parameters<typeof services.files.readContent>) {
      const content = await kernel.files.readContent(...call);
      return content && moment === 'file' ? Readable.from(dieWithin(content)) : content;
    },
    contentKey: (...call: Parameters<typeof services.files.contentKey>) => kernel.files.contentKey(...call),
  }),
  async readKeys() {
    if (moment === 'manifest') die();
    return services.readKeys();
  },
});
process.exit(0);
