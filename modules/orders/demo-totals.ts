/** Order totals of each demo customer, in 32 bytes each. */
export class OrderTotals {
  /** Four numbers a customer: orders, amount, first and last time. */
  readonly #values: Float64Array;

  constructor(customers: number) {
    this.#values = new Float64Array(4 * customers);
  }

  /** Adds an order: the total in hundredths, the time in milliseconds since 1970. Orders must come in the order of time. */
  add(customer: number, total: number, placedAt: number): void {
    const { orders, spent, firstAt } = this.of(customer);
    this.#values.set([orders + 1, spent + total, firstAt || placedAt, placedAt], 4 * customer);
  }

  of(customer: number) {
    const [orders = 0, spent = 0, firstAt = 0, lastAt = 0] = this.#values.subarray(4 * customer, 4 * customer + 4);
    return { orders, spent, firstAt, lastAt };
  }
}
