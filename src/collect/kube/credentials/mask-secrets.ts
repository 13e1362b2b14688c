/** Replaces what looks like a credential in a foreign text: JWTs, bearer tokens, PEM keys, random words. */
export function maskSecrets(text: string): string {
  return text
    .replace(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[hidden]')
    .replace(/\b(Bearer|Basic) +\S+/gi, '$1 [hidden]')
    .replace(/\beyJ[\w-]+(\.[\w-]*){0,2}/g, '[hidden]')
    .replace(/[A-Za-z0-9+_=-]{40,}/g, '[hidden]');
}

/** Shorter secrets would mask parts of ordinary words. */
const shortestSecret = 4;

/** Removes the given secrets from `text`: a server may return what it received. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text);
}
