import { backupCommand } from './backup.ts';
import { backupListCommand } from './backup-list.ts';
import { backupRehearseCommand } from './backup-rehearse.ts';
import { backupVerifyCommand } from './backup-verify.ts';
import type { Command } from './command.ts';
import { configCommand } from './config.ts';
import { demoSeedCommand } from './demo-seed.ts';
import { doctorCommand, tenantDoctorCommand } from './doctor.ts';
import { jobsListCommand } from './jobs-list.ts';
import { jobsRetryCommand } from './jobs-retry.ts';
import { jobsRunCommand } from './jobs-run.ts';
import { keysReencryptCommand } from './keys-reencrypt.ts';
import { migrateCommand } from './migrate.ts';
import { moduleHookCommand } from './module-hook.ts';
import { moduleInstallCommand } from './module-install.ts';
import { moduleListCommand } from './module-list.ts';
import { moduleLockCommand } from './module-lock.ts';
import { modulePackCommand } from './module-pack.ts';
import { modulePublishCommand } from './module-publish.ts';
import { moduleRemoveCommand } from './module-remove.ts';
import { moduleRollbackCommand } from './module-rollback.ts';
import { moduleShowCommand } from './module-show.ts';
import { moduleUpgradeCommand } from './module-upgrade.ts';
import { moduleVerifyCommand } from './module-verify.ts';
import { planAssignCommand } from './plan-assign.ts';
import { planDeleteCommand } from './plan-delete.ts';
import { planListCommand } from './plan-list.ts';
import { planSetCommand } from './plan-set.ts';
import { restoreCommand } from './restore.ts';
import { ringActivateCommand } from './ring-activate.ts';
import { ringAssignCommand } from './ring-assign.ts';
import { ringCreateCommand } from './ring-create.ts';
import { ringDeactivateCommand } from './ring-deactivate.ts';
import { ringDefaultCommand } from './ring-default.ts';
import { ringHistoryCommand } from './ring-history.ts';
import { ringListCommand } from './ring-list.ts';
import { ringPromoteCommand } from './ring-promote.ts';
import { ringReloadCommand } from './ring-reload.ts';
import { ringRollbackCommand } from './ring-rollback.ts';
import { ringShowCommand } from './ring-show.ts';
import { tenantCloneCommand } from './tenant-clone.ts';
import { tenantCreateCommand } from './tenant-create.ts';
import { tenantDeleteCommand } from './tenant-delete.ts';
import { tenantExportCommand } from './tenant-export.ts';
import { tenantImportCommand } from './tenant-import.ts';
import { tenantListCommand } from './tenant-list.ts';
import { tenantMoveCommand } from './tenant-move.ts';
import { tenantRestoreCommand } from './tenant-restore.ts';
import { tenantResumeCommand } from './tenant-resume.ts';
import { tenantShowCommand } from './tenant-show.ts';
import { tenantSuspendCommand } from './tenant-suspend.ts';
import { workCommand } from './work.ts';

/** All commands except `serve`, in the order of `chowkd help`. */
export const operatorCommands: readonly Command[] = [
  workCommand,
  migrateCommand,
  keysReencryptCommand,
  configCommand,
  doctorCommand,
  backupCommand,
  backupListCommand,
  backupVerifyCommand,
  backupRehearseCommand,
  restoreCommand,
  tenantCreateCommand,
  tenantListCommand,
  tenantShowCommand,
  tenantSuspendCommand,
  tenantResumeCommand,
  tenantExportCommand,
  tenantImportCommand,
  tenantRestoreCommand,
  tenantCloneCommand,
  tenantDeleteCommand,
  tenantMoveCommand,
  tenantDoctorCommand,
  planListCommand,
  planSetCommand,
  planAssignCommand,
  planDeleteCommand,
  demoSeedCommand,
  ringListCommand,
  ringShowCommand,
  ringCreateCommand,
  ringActivateCommand,
  ringDeactivateCommand,
  ringDefaultCommand,
  ringAssignCommand,
  ringPromoteCommand,
  ringRollbackCommand,
  ringReloadCommand,
  ringHistoryCommand,
  moduleListCommand,
  moduleShowCommand,
  moduleLockCommand,
  moduleVerifyCommand,
  modulePackCommand,
  modulePublishCommand,
  moduleInstallCommand,
  moduleUpgradeCommand,
  moduleRollbackCommand,
  moduleRemoveCommand,
  moduleHookCommand,
  jobsListCommand,
  jobsRetryCommand,
  jobsRunCommand,
];
