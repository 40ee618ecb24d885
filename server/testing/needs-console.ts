const withoutPages = /^(\.\/)?(server|modules|kit|client|scripts)\//;
const withPages = /console|browser/;

/** Whether the tests that these arguments of Vitest choose may open pages of the console. */
export function needsConsole(args: readonly string[]): boolean {
  const files = args.filter((arg) => arg.includes('/') && !arg.startsWith('-'));
  return files.length === 0 || files.some((file) => !withoutPages.test(file) || withPages.test(file));
}
