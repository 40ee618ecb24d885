import { changeModule, type ModuleChange } from '../packages/change-module.ts';
import { type RingModules, withRingModules } from '../packages/ring-modules.ts';
import type { CommandInput, Session } from './command.ts';

/** What a command did with a module. */
export interface ChangeReport {
  readonly alias: string;
  readonly ring: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Runs `work` with the modules of the ring that `--ring` names, else of the ring of this process. */
export async function changeModules<Result>(
  { config, environment, kernel, progress }: Session,
  { options }: CommandInput,
  work: (modules: RingModules) => Promise<Result>,
): Promise<Result> {
  const { central } = await kernel({ modules: [] });
  const ring = String(options.ring ?? config.ringName);
  const reason = typeof options.reason === 'string' ? options.reason : undefined;
  return withRingModules({ config, environment, central, ring, reason, progress }, work);
}

export async function applyChange(modules: RingModules, change: ModuleChange): Promise<ChangeReport> {
  const { alias, to } = change;
  await changeModule(modules, change);
  return {
    alias,
    ring: modules.ring,
    from: modules.lock.modules[alias]?.version ?? null,
    to: to?.version ?? null,
  };
}

/** Prints what was done, and how the processes of the ring get it. */
export function reportChange(
  { say, table }: Session,
  { options }: CommandInput,
  done: string,
  report: ChangeReport,
): void {
  if (options.json) table([report], '');
  else
    say(
      `${done} The processes of the ring ${report.ring} use it after a restart or 'chowkd ring:reload ${report.ring}'.`,
    );
}
