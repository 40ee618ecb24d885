/** The platforms of releases. */
export const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'] as const;
export type Target = (typeof targets)[number];

export function isTarget(text: string): text is Target {
  return (targets as readonly string[]).includes(text);
}

/** The platform of this machine. */
export function hostTarget(): Target {
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  if (!isTarget(name)) throw new Error(`there is no release for ${name}`);
  return name;
}
