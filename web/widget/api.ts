/* The requests of the widget. All are forms without cookies, which a browser sends to another site without asking first. */

export interface Config {
  readonly name: string;
  readonly color: string;
  readonly position: 'left' | 'right';
  readonly greeting: string;
  readonly opening_hours: string;
  readonly is_open: boolean;
  readonly ask_for_email: boolean;
  readonly realtime_key: string;
}

export interface ChatMessage {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly body: string;
  readonly author: string | null;
  readonly sent_at: string;
  readonly attachments: readonly { readonly file_name: string; readonly size: number; readonly url: string | null }[];
}

/** A refusal, with what the server says. A status of 0 means that there was no response. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, message: string, code = '') {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

export class Api {
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  config(): Promise<Config> {
    return this.#request('config');
  }

  start(fields: { identity?: string; email?: string }): Promise<{ session: { token: string; channel: string } }> {
    return this.#request('sessions', new URLSearchParams(fields));
  }

  updates(token: string, after: string | undefined): Promise<{ messages: ChatMessage[] }> {
    return this.#request('updates', new URLSearchParams({ token, ...(after !== undefined && { after }) }));
  }

  seen(token: string, message_id: string): Promise<unknown> {
    return this.#request('seen', new URLSearchParams({ token, message_id }));
  }

  typing(token: string): Promise<unknown> {
    return this.#request('typing', new URLSearchParams({ token }));
  }

  send(form: FormData): Promise<unknown> {
    return this.#request('messages', form);
  }

  async #request<Result>(path: string, body?: URLSearchParams | FormData): Promise<Result> {
    const options = body ? { method: 'POST', body } : {};
    const url = `${this.origin}/api/v1/widget/${path}`;
    const response = await fetch(url, { ...options, credentials: 'omit', referrerPolicy: 'no-referrer' }).catch(() => {
      throw new RequestError(0, 'There is no connection.');
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new RequestError(response.status, String(answer.message ?? ''), answer.code);
    return answer;
  }
}
