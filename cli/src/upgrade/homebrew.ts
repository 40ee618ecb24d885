import { realpathSync } from 'node:fs';

const folders = ['/Cellar/', '/homebrew/', '/.linuxbrew/'];

/** Homebrew installed the program: its path, or what it links to, is below a folder of Homebrew. */
export function isFromHomebrew(executable: string): boolean {
  const paths = [executable, realpathSync(executable)].map((path) => path.replaceAll('\\', '/'));
  return paths.some((path) => folders.some((folder) => path.includes(folder)));
}
