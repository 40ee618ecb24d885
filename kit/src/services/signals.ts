export interface SignalListener {
  onNotify(payload: string): void;
  /** `false`: notifications may be missed from now on. `true`: connected again; earlier ones may have been missed. */
  onConnectionChange(isConnected: boolean): void;
}

/** PostgreSQL's NOTIFY on the central database, for caches that other processes invalidate. */
export interface SignalSource {
  listen(channel: string, listener: SignalListener): Promise<void>;
}
