/** Text that is markup already. Made by `html` alone, so that nothing unescaped gets in. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

/** Markup with everything put into it escaped, in text and in quoted attributes alike. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + written(parts[index])).join(''));
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.toString();
  return typeof part === 'object' ? part.join('') : escapeHtml(String(part));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
