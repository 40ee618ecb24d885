/** Encryption and signatures with keys derived from the key of the installation, one for each `purpose`. */
export interface Secrets {
  /** Encrypts. `open` needs the same `context`, such as the tenant and the field. */
  seal(purpose: string, text: string, context?: string): string;
  /** Decrypts. Throws if the text was not sealed for this purpose and context. */
  open(purpose: string, sealed: string, context?: string): string;
  /** A signature that fits a URL. */
  sign(purpose: string, text: string): string;
  isSignature(purpose: string, text: string, signature: string): boolean;
}
