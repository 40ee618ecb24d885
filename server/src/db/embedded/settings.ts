import { totalmem } from 'node:os';

const megabyte = 2 ** 20;

/** What differs from PostgreSQL's defaults: a server that shares its machine with the platform and many tenants. */
export function serverSettings(memory = availableMemory()): Record<string, string> {
  return {
    // Commits survive a power failure. These are the defaults, said aloud because they are the promise.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',

    // An eighth of the memory rather than the usual quarter: the platform's own processes live here too.
    shared_buffers: inMegabytes(memory / 8, 128, 1024),
    effective_cache_size: inMegabytes(memory / 2, 256, 65_536),
    maintenance_work_mem: inMegabytes(memory / 32, 64, 256),
    work_mem: '8MB',
    max_connections: '120',

    // Disks without a moving head read one random page about as fast as the next one.
    random_page_cost: '1.1',
    // Compiling a query takes longer than our short queries run.
    jit: 'off',

    // Fewer checkpoints: each makes the first change of every page write the whole page to the log.
    checkpoint_timeout: '15min',
    max_wal_size: '1GB',
    // After a crash PostgreSQL syncs every file of the cluster: hundreds for each tenant, or one call for all of them.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),

    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %q%a %d ',
    log_min_duration_statement: '1s',
    log_lock_waits: 'on',
    log_checkpoints: 'off',
    // Bound values are customers' data; the log shows statements without them.
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    // Shown in process listings.
    cluster_name: 'chowk',
  };
}

/** In a container the machine's memory is not ours: the container's limit counts. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

function inMegabytes(bytes: number, least: number, most: number): string {
  return `${Math.round(Math.min(Math.max(bytes / megabyte, least), most))}MB`;
}
