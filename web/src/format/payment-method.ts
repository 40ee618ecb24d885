/* Methods of payments are texts. Those that the platform knows have a name of their own. */

const names: ReadonlyMap<string, string> = new Map([
  ['cash', 'Cash'],
  ['upi', 'UPI'],
  ['card', 'Card'],
  ['bank_transfer', 'Bank transfer'],
  ['cash_on_delivery', 'Cash on delivery'],
  ['payment_link', 'Payment link'],
]);

/** `Bank transfer` of `bank_transfer`; others as they were entered. */
export function methodName(method: string): string {
  return names.get(method) ?? method;
}

/** The method with this name, in any case. */
export function methodNamed(name: string): string {
  const typed = name.trim();
  const [known] = [...names].find(([, one]) => one.toLowerCase() === typed.toLowerCase()) ?? [];
  return known ?? typed;
}
