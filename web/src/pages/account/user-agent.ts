/** More specific names first: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^chowk\b/, 'Command-line client'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

/** `Chrome on Windows`, or the first word of what a program calls itself. */
export function describeDevice(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device';
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(browsers) ?? userAgent.split(/[\s/]/)[0] ?? userAgent;
  const system = find(systems);
  return system === undefined ? browser : `${browser} on ${system}`;
}

export function isPhone(userAgent: string | null): boolean {
  return /\b(iPhone|iPad|Android)\b/.test(userAgent ?? '');
}
