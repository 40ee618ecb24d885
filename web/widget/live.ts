/* One channel of the Pusher protocol, whose events say that there is something new, or who is typing. */

const retrySeconds = [1, 2, 4, 8, 15, 30];
/** A page whose policy allows no sockets asks for news in short intervals instead. */
const maxFirstAttempts = 3;
const pollMs = { connected: 25_000, alone: 3_000, hidden: 25_000 };

export interface Subscription {
  readonly url: string;
  readonly channel: string;
  /** Called for each event, after each connection and at intervals. Rejects if the server cannot be reached. */
  readonly onNews: () => Promise<void>;
  readonly onTyping: (author: string) => void;
}

/** Follows the channel until the returned function is called. */
export function follow({ url, channel, onNews, onTyping }: Subscription): () => void {
  let socket: WebSocket | undefined;
  let timer = 0;
  let failures = 0;
  let isConnected = false;
  let wasConnected = false;
  let hasEnded = false;
  let failedPolls = 0;

  const connect = () => {
    if (hasEnded || (!wasConnected && failures >= maxFirstAttempts)) return;
    try {
      socket = new WebSocket(url);
    } catch {
      failures = maxFirstAttempts;
      return;
    }
    socket.onmessage = ({ data }) => receive(JSON.parse(data));
    socket.onclose = () => {
      isConnected = false;
      const seconds = retrySeconds[Math.min(failures++, retrySeconds.length - 1)] as number;
      // Not all visitors at once after a restart.
      setTimeout(connect, seconds * 1_000 * (0.5 + Math.random() / 2));
    };
  };

  const receive = ({ event, data: content }: { event: string; data?: string }) => {
    const send = (name: string, data: object) => socket?.send(JSON.stringify({ event: name, data }));
    if (event === 'pusher:connection_established') send('pusher:subscribe', { channel });
    else if (event === 'pusher:ping') send('pusher:pong', {});
    else if (event === 'pusher_internal:subscription_succeeded') {
      [isConnected, wasConnected, failures] = [true, true, 0];
      poll();
    } else if (event === 'message') poll();
    else if (event === 'typing') onTyping(String(JSON.parse(content ?? '{}').author));
  };

  const poll = () => {
    clearTimeout(timer);
    onNews()
      .then(() => {
        failedPolls = 0;
      })
      .catch(() => {
        failedPolls = Math.min(failedPolls + 1, 5);
      })
      .finally(() => {
        const pause = isConnected ? pollMs.connected : document.hidden ? pollMs.hidden : pollMs.alone;
        clearTimeout(timer);
        if (!hasEnded) timer = setTimeout(poll, pause * (1 + failedPolls)) as unknown as number;
      });
  };

  const wake = () => {
    if (!document.hidden && !hasEnded) poll();
  };
  document.addEventListener('visibilitychange', wake);
  addEventListener('online', wake);
  connect();
  poll();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', wake);
    removeEventListener('online', wake);
    socket?.close();
  };
}
