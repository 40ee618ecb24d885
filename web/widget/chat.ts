import { type Api, type ChatMessage, type Config, RequestError } from './api.ts';
import { follow } from './live.ts';
import type { VisitStore } from './visit.ts';

/** A message that the server does not have yet. */
export interface Draft {
  /** Chosen here, so that a repetition is recognized. */
  readonly id: string;
  readonly body: string;
  readonly file: File | undefined;
  readonly email: string | undefined;
  /** Why it was refused. Without one it is being sent, also again after a failure. */
  problem?: string | undefined;
}

interface ChatOptions {
  readonly api: Api;
  readonly config: Config;
  readonly store: VisitStore;
  readonly identity: string | undefined;
  readonly onChange: () => void;
}

const retryMs = 3_000;
const typingMs = 5_000;
/** Longer than the pause between two reports of the console. */
const typistMs = 6_000;

/** The conversation of the visitor: what was said, and what is being sent. */
export class Chat {
  messages: readonly ChatMessage[] = [];
  drafts: readonly Draft[] = [];
  /** Whether the visitor sees the messages now. */
  isOpen = false;
  /** The member of the team who is typing. */
  typist: string | undefined;
  readonly #options: ChatOptions;
  #starting: Promise<string> | undefined;
  #stop: (() => void) | undefined;
  #isSending = false;
  #typedAt = 0;
  #typistTimer = 0;
  /** One request for news at a time, so that none is shown twice. */
  #refreshing: Promise<void> | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
    if (options.store.visit.token !== undefined) this.#follow();
  }

  get hasSession(): boolean {
    return this.#options.store.visit.token !== undefined;
  }

  get needsEmail(): boolean {
    const { store, identity } = this.#options;
    return identity === undefined && !store.visit.hasEmail && this.messages.length === 0 && this.drafts.length === 0;
  }

  get unread(): number {
    const read = this.messages.findIndex(({ id }) => id === this.#options.store.visit.seen);
    return this.messages.slice(read + 1).filter(({ direction }) => direction === 'outbound').length;
  }

  send(body: string, file?: File, email?: string): void {
    this.drafts = [...this.drafts, { id: crypto.randomUUID(), body, file, email }];
    this.#options.onChange();
    void this.#sendDrafts();
  }

  retry(draft: Draft): void {
    draft.problem = undefined;
    this.#options.onChange();
    void this.#sendDrafts();
  }

  discard(draft: Draft): void {
    this.drafts = this.drafts.filter((one) => one !== draft);
    this.#options.onChange();
  }

  showTyping(): void {
    const { token } = this.#options.store.visit;
    if (token === undefined || this.messages.length === 0 || Date.now() - this.#typedAt < typingMs) return;
    this.#typedAt = Date.now();
    this.#options.api.typing(token).catch(() => {});
  }

  /** Tells the team that the messages have been read. */
  markSeen(): void {
    const { api, store } = this.#options;
    const last = this.messages.findLast(({ direction }) => direction === 'outbound');
    const { token, seen } = store.visit;
    if (!this.isOpen || document.hidden || !last || token === undefined || last.id === seen) return;
    store.change({ seen: last.id });
    api.seen(token, last.id).catch(() => {});
    this.#options.onChange();
  }

  /** An identified visitor may have a conversation from another device. */
  async begin(): Promise<void> {
    if (this.#options.identity !== undefined) await this.#start().catch(() => {});
  }

  /** One after the other, in order. */
  async #sendDrafts(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let draft = this.#next(); draft; draft = this.#next()) {
      try {
        await this.#send(draft);
        await this.#refresh();
        this.discard(draft);
      } catch (error) {
        const failure = error instanceof RequestError ? error : new RequestError(400, String(error));
        if (failure.isTemporary) await new Promise((resolve) => setTimeout(resolve, retryMs));
        else draft.problem = failure.message || 'The message could not be sent.';
        this.#options.onChange();
      }
    }
    this.#isSending = false;
  }

  #next(): Draft | undefined {
    return this.drafts.find(({ problem }) => problem === undefined);
  }

  async #send({ id, body, file, email }: Draft): Promise<void> {
    const { api, store } = this.#options;
    const form = new FormData();
    form.set('token', await this.#start());
    form.set('id', id);
    form.set('body', body);
    if (email) form.set('email', email);
    if (file) form.set('file', file);
    try {
      await api.send(form);
      if (email) store.change({ hasEmail: true });
    } catch (error) {
      if (!this.#hasExpired(error)) throw error;
      form.set('token', await this.#start());
      await api.send(form);
    }
  }

  #start(): Promise<string> {
    const { api, store, identity } = this.#options;
    const { token } = store.visit;
    if (token !== undefined) return Promise.resolve(token);
    this.#starting ??= api
      .start(identity === undefined ? {} : { identity })
      .then(({ session }) => {
        store.change(session);
        this.#follow();
        return session.token;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  /** The server does not know the session any more: the next message begins a new one. */
  #hasExpired(error: unknown): boolean {
    const hasExpired = error instanceof RequestError && error.code === 'widget.unknown_session';
    if (!hasExpired) return false;
    const { store } = this.#options;
    const { subject } = store.visit;
    this.#stop?.();
    this.messages = [];
    store.replace(subject === undefined ? {} : { subject });
    this.#options.onChange();
    return true;
  }

  #follow(): void {
    const { api, config, store } = this.#options;
    this.#stop?.();
    const socket = `${api.origin.replace(/^http/, 'ws')}/app/${config.realtime_key}?protocol=7&client=widget`;
    this.#stop = follow({
      url: socket,
      channel: store.visit.channel as string,
      onNews: () => this.#refresh(),
      onTyping: (author) => this.#setTypist(author),
    });
  }

  #setTypist(author: string | undefined): void {
    clearTimeout(this.#typistTimer);
    this.typist = author;
    if (author !== undefined) {
      this.#typistTimer = setTimeout(() => this.#setTypist(undefined), typistMs) as unknown as number;
    }
    this.#options.onChange();
  }

  async #refresh(): Promise<void> {
    // What is new since the request under way began, too.
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #read(): Promise<void> {
    const { api, store, onChange } = this.#options;
    const { token } = store.visit;
    if (token === undefined) return;
    try {
      const { messages } = await api.updates(token, this.messages.at(-1)?.id);
      const known = new Set(this.messages.map(({ id }) => id));
      const added = messages.filter(({ id }) => !known.has(id));
      if (added.length === 0) return;
      this.messages = [...this.messages, ...added];
      if (added.some(({ direction }) => direction === 'outbound')) this.#setTypist(undefined);
      onChange();
      this.markSeen();
    } catch (error) {
      if (!this.#hasExpired(error)) throw error;
    }
  }
}
