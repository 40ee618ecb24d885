/** The text of a statement or fragment, once for all that are composed in the same way. */
class Shape {
  /** The text before, between and after the values. */
  readonly parts: readonly string[];
  #text: string | undefined;

  constructor(parts: readonly string[]) {
    this.parts = parts;
  }

  get text(): string {
    this.#text ??= this.parts.reduce((text, part, index) => `${text}$${index}${part}`);
    return this.#text;
  }
}

/** SQL with its values, which are always bound. */
export class Sql {
  readonly #shape: Shape;
  readonly values: readonly unknown[];

  constructor(shape: Shape, values: readonly unknown[]) {
    this.#shape = shape;
    this.values = values;
  }

  /** With `$1` and so on in the places of the values. Equal texts are the same string, which is hashed only once. */
  get text(): string {
    return this.#shape.text;
  }

  static shape(sql: Sql): Shape {
    return sql.#shape;
  }
}

/** A step of a composition: leads to the next one by the shape of a fragment, or by `undefined` for a value. */
class Step {
  next: Map<Shape | undefined, Step> | undefined;
  shape: Shape | undefined;
}

/** Beyond this number, the known compositions are forgotten: texts of `raw` and lengths of `join` may vary without end. */
const maxSteps = 20_000;
let steps = 0;
let templates = new WeakMap<TemplateStringsArray, Step>();
let separators = new Map<string, Step>();
let rawShapes = new Map<string, Shape>();

function countStep(): void {
  steps += 1;
  if (steps <= maxSteps) return;
  steps = 0;
  templates = new WeakMap();
  separators = new Map();
  rawShapes = new Map();
}

/**
 * Composes SQL: a fragment becomes a part of the text, anything else is a bound value. The text is composed once for a
 * template and the shapes of its fragments, because that takes longer than many statements.
 */
export function sql(template: TemplateStringsArray, ...items: unknown[]): Sql {
  let step = templates.get(template);
  if (!step) {
    step = new Step();
    templates.set(template, step);
  }
  return compose(step, items, (index) => template[index] as string);
}

/** Fragments or values in a row. */
export function join(items: readonly unknown[], separator = ','): Sql {
  if (items.length === 0) throw new TypeError('there is nothing to join');
  let step = separators.get(separator);
  if (!step) {
    step = new Step();
    separators.set(separator, step);
  }
  return compose(step, items, (index) => (index === 0 || index === items.length ? '' : separator));
}

/** Text from code, never from an input. */
export function raw(text: string): Sql {
  let shape = rawShapes.get(text);
  if (!shape) {
    shape = new Shape([text]);
    rawShapes.set(text, shape);
    countStep();
  }
  return new Sql(shape, []);
}

export const empty: Sql = raw('');

/** Appends conditions to a preceding one; empty for none. */
export function and(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? empty : sql`AND ${join(conditions, ' AND ')}`;
}

function compose(first: Step, items: readonly unknown[], textBefore: (index: number) => string): Sql {
  let step = first;
  let hasFragments = false;
  for (const item of items) {
    const shape = item instanceof Sql ? Sql.shape(item) : undefined;
    if (shape) hasFragments = true;
    step = step.next?.get(shape) ?? addStep(step, shape);
  }
  step.shape ??= new Shape(composeParts(items, textBefore));
  return new Sql(
    step.shape,
    hasFragments ? items.flatMap((item) => (item instanceof Sql ? item.values : [item])) : items,
  );
}

function addStep(step: Step, shape: Shape | undefined): Step {
  const next = new Step();
  step.next ??= new Map();
  step.next.set(shape, next);
  countStep();
  return next;
}

function composeParts(items: readonly unknown[], textBefore: (index: number) => string): string[] {
  const parts = [textBefore(0)];
  const append = (text: string) => {
    parts[parts.length - 1] += text;
  };
  for (const [index, item] of items.entries()) {
    const [head = '', ...tail] = item instanceof Sql ? Sql.shape(item).parts : ['', ''];
    append(head);
    parts.push(...tail);
    append(textBefore(index + 1));
  }
  return parts;
}
