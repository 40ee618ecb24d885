import type { Environment } from '../environment.ts';

export function startBackgroundCheck(_environment: Environment): void {}
