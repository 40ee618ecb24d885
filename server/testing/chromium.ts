import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium-headless-shell', 'chromium', 'google-chrome'];
const folders = process.env.PATH?.split(delimiter) ?? [];

/** The path of an installed Chromium. */
export const chromiumPath = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
if (!chromiumPath) {
  process.stderr.write(
    'chromium is not installed (apt-get install chromium-headless-shell): skipping the tests that need it\n',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
