/** `9.00` is `9 %`. */
export function percent(rate: string): string {
  return `${Number.isFinite(Number(rate)) ? Number(rate) : rate} %`;
}
