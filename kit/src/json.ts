/** A value as JSON text from PostgreSQL. REST sends the text; other transports use the value. */
export class Json<Value> {
  readonly text: string;
  readonly #onParse: (value: Value) => Value;

  constructor(text: string, onParse: (value: Value) => Value = (value) => value) {
    this.text = text;
    this.#onParse = onParse;
  }

  get value(): Value {
    return this.#onParse(JSON.parse(this.text) as Value);
  }
}
