/** How often all who wait are looked at. */
const lookMs = 250;
const all = new Set<Watchdog>();
let looks = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * How long one end of a wire waits for answers of the other. All are looked at together a few times a second: a timer
 * for every question would cost more than the question, most of it in garbage that timers carry into old age.
 */
export class Watchdog {
  readonly #mostLooks: number;
  readonly #giveUp: () => void;
  #outstanding = 0;
  /** The look after which the oldest question without an answer has been waited for. */
  #since = 0;

  constructor(limitMs: number, giveUp: () => void) {
    this.#mostLooks = Math.ceil(limitMs / lookMs);
    this.#giveUp = giveUp;
    all.add(this);
    timer ??= setInterval(lookAtAll, lookMs).unref();
  }

  asked(): void {
    if (this.#outstanding === 0) this.#since = looks;
    this.#outstanding += 1;
  }

  /** Answers come in the order of the questions. */
  answered(): void {
    this.#outstanding -= 1;
    this.#since = looks;
  }

  end(): void {
    all.delete(this);
    if (all.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  look(): void {
    if (this.#outstanding === 0 || looks - this.#since <= this.#mostLooks) return;
    this.end();
    this.#giveUp();
  }
}

function lookAtAll(): void {
  looks += 1;
  for (const patience of all) patience.look();
}
