import type { Command } from './command.ts';
import { configCommand } from './config.ts';
import { migrateCommand } from './migrate.ts';
import { serveCommand } from './serve.ts';
import { tenantCreateCommand } from './tenant-create.ts';
import { tenantDoctorCommand } from './tenant-doctor.ts';
import { tenantListCommand } from './tenant-list.ts';
import { tenantShowCommand } from './tenant-show.ts';

/** Every command, in the order in which `help` lists them. */
export const commands: readonly Command[] = [
  serveCommand,
  migrateCommand,
  configCommand,
  tenantCreateCommand,
  tenantListCommand,
  tenantShowCommand,
  tenantDoctorCommand,
];
