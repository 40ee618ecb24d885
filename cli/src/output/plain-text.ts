/** Control characters, which can move the cursor or recolour the terminal, and marks that reverse the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text from the platform that is safe to show: records may have been written by anybody. */
export function plainText(text: string): string {
  return text.replace(unsafe, '\ufffd');
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text.replace(/[\s\u2028\u2029]+/g, ' '));
}
