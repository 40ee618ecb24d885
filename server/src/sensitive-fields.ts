/* Fields that hold secrets or personal data, recognized by their names, in JSON of any module. */

const secretNames = 'password|secret|token|otp|authorization|card|cvv|pin';
const personalNames = 'phone|mobile|mail|address|street|(?:first|last|full|customer|contact)_?name|external_?id';
/** Free text and search terms. Matched as whole names only. */
const freeTextNames = 'to|city|state|country|company|tags|notes?|message|body|subject|reason|search|q';

const personalOrSecret = new RegExp(`${secretNames}|${personalNames}|^(?:${freeTextNames})$`, 'i');
const inJson = new RegExp(`${secretNames}|${personalNames}|"(?:${freeTextNames})"`, 'i');

export function isPersonalOrSecret(name: string): boolean {
  return personalOrSecret.test(name);
}

/** A quick test on JSON text: most has no such name. */
export function mayContainPersonalOrSecret(json: string): boolean {
  return inJson.test(json);
}
