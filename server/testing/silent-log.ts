import type { Log } from '@chowk/kit';

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
