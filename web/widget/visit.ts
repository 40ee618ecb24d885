/* What the browser remembers of the visitor, for each shop. */

export interface Visit {
  token?: string;
  channel?: string;
  /** The user of the shop that the session belongs to. */
  subject?: string;
  /** The last message of the team that the visitor has read. */
  seen?: string;
  hasEmail?: boolean;
}

export class VisitStore {
  readonly #key: string;
  #visit: Visit = {};

  /** A session of a user who has signed out of the shop, or of another one, is forgotten. */
  constructor(origin: string, subject: string | undefined) {
    this.#key = `chowk.chat ${origin}`;
    try {
      this.#visit = JSON.parse(localStorage.getItem(this.#key) ?? '{}') as Visit;
    } catch {
      // The browser allows no storage: the session ends with the page.
    }
    if (this.#visit.subject !== subject) this.replace(subject === undefined ? {} : { subject });
  }

  get visit(): Readonly<Visit> {
    return this.#visit;
  }

  change(fields: Visit): void {
    this.replace({ ...this.#visit, ...fields });
  }

  replace(visit: Visit): void {
    this.#visit = visit;
    try {
      localStorage.setItem(this.#key, JSON.stringify(visit));
    } catch {}
  }
}

/** The `sub` of an identity token. Only the server checks the signature. */
export function readSubject(identity: string | undefined): string | undefined {
  try {
    const [, payload = ''] = identity?.split('.') ?? [];
    return String(JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/'))).sub);
  } catch {
    return undefined;
  }
}
