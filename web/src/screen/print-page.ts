/** Opens a page of the platform in a window of its own, for the printer. */
export async function printPage(read: () => Promise<string>): Promise<void> {
  // Before anything is awaited: browsers allow it during the click only.
  const target = window.open('', '_blank');
  if (!target) throw new Error('The browser has blocked the window. Allow windows of this page and try again.');
  try {
    show(target as Window & typeof globalThis, await read());
  } catch (error) {
    target.close();
    throw error;
  }
  target.print();
}

const styleElement = /<style>(.*?)<\/style>/s;

/** The window has the policy of the console, which forbids style elements but not style sheets of its scripts. */
function show({ document, CSSStyleSheet, DOMParser }: Window & typeof globalThis, html: string): void {
  // An empty page has no doctype, and shows tables as browsers did in 1998.
  document.write('<!doctype html>');
  document.close();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleElement.exec(html)?.[1] ?? '');
  document.adoptedStyleSheets = [sheet];
  const page = new DOMParser().parseFromString(html.replace(styleElement, ''), 'text/html');
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  document.body.replaceChildren(...[...page.body.childNodes].map((node) => document.adoptNode(node)));
}
