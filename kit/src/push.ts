/** A message to one device. */
export interface PushMessage {
  /** The registration token of the device. */
  readonly token: string;
  readonly title: string;
  readonly body: string | null;
  readonly data: Readonly<Record<string, string>>;
  /** The number on the icon of the app. */
  readonly badge: number;
  /** A message replaces an earlier one with the same tag. */
  readonly tag: string;
}

export type PushResult =
  | { readonly outcome: 'sent' }
  /** The token is no longer valid. */
  | { readonly outcome: 'dead_token' }
  | { readonly outcome: 'retry'; readonly afterSeconds: number }
  /** Sending it again would not help. */
  | { readonly outcome: 'refused'; readonly reason: string };

/** Sends messages to phones and browsers. */
export interface PushService {
  send(message: PushMessage): Promise<PushResult>;
}
