/** A backup that cannot be used, because it is missing, damaged or encrypted with another key. */
export class BackupError extends Error {}
