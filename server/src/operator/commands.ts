import type { Command } from './command.ts';
import { configCommand } from './config.ts';
import { migrateCommand } from './migrate.ts';
import { tenantCreateCommand } from './tenant-create.ts';
import { tenantDoctorCommand } from './tenant-doctor.ts';
import { tenantListCommand } from './tenant-list.ts';
import { tenantShowCommand } from './tenant-show.ts';

/** Every command but `serve`, in the order in which `help` lists them. */
export const operatorCommands: readonly Command[] = [
  migrateCommand,
  configCommand,
  tenantCreateCommand,
  tenantListCommand,
  tenantShowCommand,
  tenantDoctorCommand,
];
