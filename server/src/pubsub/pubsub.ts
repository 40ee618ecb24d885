/** Receives the messages of all processes, including this one. */
export type MessageHandler = (text: string) => void;

/**
 * Messages between processes: delivered at most once, in order per publisher, and lost for a process that is not
 * connected. For guaranteed delivery use an event or a job.
 */
export interface PubSub {
  publish(channel: string, text: string): Promise<void>;
  /** Settles when the subscription is active. Returns the function that ends it. */
  subscribe(channel: string, handler: MessageHandler): Promise<() => void>;
}
