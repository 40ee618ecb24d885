import type { Log } from '@chowk/kit/kernel';

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
