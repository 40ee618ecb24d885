import { totalmem } from 'node:os';

const megabyte = 2 ** 20;

interface Machine {
  readonly databases: number;
  readonly memory?: number;
}

/** Overrides of PostgreSQL's defaults for a server that shares its machine with the platform. */
export function serverSettings({ databases, memory = availableMemory() }: Machine): Record<string, string> {
  return {
    // The defaults, stated because they are guaranteed: commits survive a power failure.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',

    // An eighth of the memory instead of the recommended quarter, to leave room for the platform's processes.
    shared_buffers: inMegabytes(memory / 8, 128, 1024),
    effective_cache_size: inMegabytes(memory / 2, 256, 65_536),
    maintenance_work_mem: inMegabytes(memory / 32, 64, 256),
    work_mem: '8MB',
    max_connections: '120',

    // Tenants are moved to another server by logical replication.
    wal_level: 'logical',

    // Solid state disks read random pages about as fast as sequential ones.
    random_page_cost: '1.1',
    // JIT compilation takes longer than short queries run.
    jit: 'off',

    // After each checkpoint the first change of a page writes the whole page to the log.
    checkpoint_timeout: '15min',
    max_wal_size: '1GB',
    // In each interval a process starts for each database, also for unused ones, and takes about 10 ms.
    autovacuum_naptime: `${Math.max(60, Math.round(databases * 0.3))}s`,
    // After a crash PostgreSQL syncs the cluster: one call instead of one for each of a tenant's hundreds of files.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),

    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %q%a %d ',
    log_min_duration_statement: '1s',
    log_lock_waits: 'on',
    log_checkpoints: 'off',
    // Bound values are customer data and must not be logged.
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    // Shown in process listings.
    cluster_name: 'chowk',
  };
}

/** The limit of the container, if there is one. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

function inMegabytes(bytes: number, min: number, max: number): string {
  return `${Math.round(Math.min(Math.max(bytes / megabyte, min), max))}MB`;
}
