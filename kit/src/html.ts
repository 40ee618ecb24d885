/** Markup. Create it with the `html` tag, which escapes all values. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Value = string | number | Html | readonly Html[] | undefined;

/** A tag for templates: values are escaped, for text as well as for quoted attributes; `Html` values are not. */
export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(texts.map((text, index) => text + render(values[index])).join(''));
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  return typeof value === 'object' ? value.join('') : escapeHtml(String(value));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
