/** A value that is JSON text already, as PostgreSQL made it. REST passes the text on; other callers get the value. */
export class Json<Value> {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): Value {
    return JSON.parse(this.text) as Value;
  }
}
