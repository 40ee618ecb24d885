/**
 * Opens a page of the platform in a window of its own, for the printer. The window has the policy of the console, which forbids
 * style elements, so its style sheet is made by the script.
 */
export async function printPage(read: () => Promise<string>): Promise<void> {
  // Before anything is awaited: browsers allow it during the click only.
  const target = window.open('', '_blank');
  if (!target) throw new Error('The browser has blocked the window. Allow windows of this page and try again.');
  try {
    show(target, new DOMParser().parseFromString(await read(), 'text/html'));
  } catch (error) {
    target.close();
    throw error;
  }
  target.print();
}

function show(target: Window, page: Document): void {
  const { document } = target;
  const sheet = new (target as Window & typeof globalThis).CSSStyleSheet();
  sheet.replaceSync([...page.querySelectorAll('style')].map(({ textContent }) => textContent).join('\n'));
  document.adoptedStyleSheets = [sheet];
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  document.body.replaceChildren(...[...page.body.childNodes].map((node) => document.adoptNode(node)));
}
