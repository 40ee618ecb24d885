/** A bar on a terminal; elsewhere a line now and then. */
export class ProgressBar {
  readonly #total: number;
  readonly #stream: NodeJS.WriteStream;
  #done = 0;
  #failed = 0;
  #saidAt = 0;

  constructor(total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#total = total;
    this.#stream = stream;
  }

  step(ok: boolean): void {
    if (ok) this.#done += 1;
    else this.#failed += 1;
    const finished = this.#done + this.#failed;
    const last = finished === this.#total;
    if (!last && performance.now() - this.#saidAt < (this.#stream.isTTY ? 50 : 5_000)) return;
    this.#saidAt = performance.now();
    const counts = `${finished}/${this.#total}${this.#failed > 0 ? `, ${this.#failed} failed` : ''}`;
    const filled = Math.round((finished / this.#total) * 30);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(30 - filled)}]`;
    if (this.#stream.isTTY) this.#stream.write(`\r${bar} ${counts}${last ? '\n' : ''}`);
    else this.#stream.write(`${counts}\n`);
  }
}
