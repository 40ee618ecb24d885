/** A bar on a terminal; otherwise a line every five seconds. */
export class ProgressBar {
  readonly #total: number;
  readonly #stream: NodeJS.WriteStream;
  #done = 0;
  #failed = 0;
  #reportedAt = 0;

  constructor(total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#total = total;
    this.#stream = stream;
  }

  step(isSuccess: boolean): void {
    if (isSuccess) this.#done += 1;
    else this.#failed += 1;
    const finished = this.#done + this.#failed;
    const isLast = finished === this.#total;
    if (!isLast && performance.now() - this.#reportedAt < (this.#stream.isTTY ? 50 : 5_000)) return;
    this.#reportedAt = performance.now();
    const counts = `${finished}/${this.#total}${this.#failed > 0 ? `, ${this.#failed} failed` : ''}`;
    const filled = Math.round((finished / this.#total) * 30);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(30 - filled)}]`;
    if (this.#stream.isTTY) this.#stream.write(`\r${bar} ${counts}${isLast ? '\n' : ''}`);
    else this.#stream.write(`${counts}\n`);
  }
}
