import { CannotTell, type CelUrl } from './value.ts';

/**
 * A URL as Go's url.ParseRequestURI reads it, of the plain kind: http or https, a name, a port, a path without escapes.
 * undefined where Go surely refuses it; throws {@link CannotTell} for the rest.
 */
export function parseCelUrl(text: string): CelUrl | undefined {
  const match = /^(https?):\/\/([A-Za-z0-9.-]+)(?::(\d{1,5}))?(\/[A-Za-z0-9/._~-]*)?$/.exec(text);
  if (match !== null) {
    const [, scheme = '', hostname = '', port = '', path = ''] = match;
    return { is: 'url', scheme, host: port === '' ? hostname : `${hostname}:${port}`, hostname, port, path };
  }
  // Neither a scheme nor a leading slash: "invalid URI for request".
  if (/^[A-Za-z0-9._-]*$/.test(text)) return undefined;
  throw new CannotTell();
}
