/** A value as JSON text from PostgreSQL. REST sends the text; other transports use the value. */
export class Json<Value> {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): Value {
    return JSON.parse(this.text) as Value;
  }
}
