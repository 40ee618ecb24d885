/** Hears what any process has said, this one included. */
export type MessageHandler = (text: string) => void;

/**
 * What processes tell each other and nobody needs twice: at most once, in order from each process, lost for who is not
 * there. What must not be lost is an event or a job.
 */
export interface PubSub {
  publish(channel: string, text: string): Promise<void>;
  /** Settles when it is handler; the answer ends it. */
  subscribe(channel: string, handler: MessageHandler): Promise<() => void>;
}
