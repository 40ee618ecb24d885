import WebSocket from 'ws';

/** A socket of the Pusher protocol that connects again whenever the server closes it, as the libraries do. */
export class RingSocket {
  /** The codes with which it was closed. */
  readonly codes: number[] = [];
  /** The longest time without a connection, in milliseconds. */
  longestGapMs = 0;
  readonly events: { event: string; data: { version: string } }[] = [];
  isOpen = false;
  readonly #url: string;
  readonly #host: string;
  #socket: WebSocket | undefined;
  #closedAt = performance.now();
  #isEnded = false;

  constructor(port: number, key: string, host: string) {
    this.#url = `ws://127.0.0.1:${port}/app/${key}?protocol=7`;
    this.#host = host;
    this.#connect();
  }

  end(): void {
    this.#isEnded = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, { headers: { host: this.#host } });
    this.#socket = socket;
    socket.on('message', (text) => this.#receive(String(text)));
    socket.on('error', () => {});
    socket.on('close', (code) => {
      if (this.isOpen) this.#closedAt = performance.now();
      this.isOpen = false;
      if (this.#isEnded) return;
      this.codes.push(code);
      setTimeout(() => this.#connect(), 20);
    });
  }

  #receive(text: string): void {
    const { event, data } = JSON.parse(text);
    if (event === 'pusher:connection_established') {
      this.longestGapMs = Math.max(this.longestGapMs, performance.now() - this.#closedAt);
      this.isOpen = true;
      this.#socket?.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'probe' } }));
    } else if (!event.startsWith('pusher')) this.events.push({ event, data: JSON.parse(data) });
  }
}
