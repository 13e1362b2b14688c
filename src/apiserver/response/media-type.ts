/** RFC 2045 token characters, as Go's mime package accepts them. */
const token = /^[!#$%&'*+\-.^_`{|}~0-9A-Za-z]+/;
const goSpace = /^[\t\n\v\f\r \u0085\u00a0]+/;

const trimStart = (text: string): string => text.replace(goSpace, '');

function typeFault(media: string): string | undefined {
  const type = token.exec(media)?.[0] ?? '';
  if (type === '') return 'mime: no media type';
  const rest = media.slice(type.length);
  if (rest === '') return undefined;
  if (!rest.startsWith('/')) return 'mime: expected slash after first token';
  const subtype = token.exec(rest.slice(1))?.[0] ?? '';
  if (subtype === '') return 'mime: expected token after slash';
  return subtype.length + 1 < rest.length ? 'mime: unexpected content after media subtype' : undefined;
}

/**
 * Reads the parameter value at the start of a text, and returns it with the rest; undefined for none. An
 * empty quoted value counts as none.
 */
function parameterValue(text: string): { value: string; rest: string } | undefined {
  if (!text.startsWith('"')) {
    const value = token.exec(text)?.[0];
    return value === undefined ? undefined : { value, rest: text.slice(value.length) };
  }
  const quoted = /^"((?:\\[()<>@,;:\\"/[\]?=]|[^"\r\n])*)"/.exec(text);
  return quoted === null ? undefined : { value: quoted[1] ?? '', rest: text.slice(quoted[0].length) };
}

/** The error of Go's mime.ParseMediaType for a Content-Type; undefined if it is valid (mime/mediatype.go). */
export function mediaTypeFault(header: string): string | undefined {
  const [base = ''] = header.split(';', 1);
  const fault = typeFault(base.trim().toLowerCase());
  if (fault !== undefined) return fault;
  const seen = new Map<string, string>();
  for (let left = trimStart(header.slice(base.length)); left !== ''; left = trimStart(left)) {
    const invalid = left.trim() === ';' ? undefined : 'mime: invalid media parameter';
    const name = /^;[\s\u0085]*([!#$%&'*+\-.^_`{|}~0-9A-Za-z]+)[\s\u0085]*=[\s\u0085]*/.exec(left);
    const found = name === null ? undefined : parameterValue(left.slice(name[0].length));
    if (name === null || found === undefined) return invalid;
    const key = (name[1] ?? '').toLowerCase();
    const before = seen.get(key);
    if (before !== undefined && before !== found.value) return 'mime: duplicate parameter name';
    seen.set(key, found.value);
    left = found.rest;
  }
  return undefined;
}

/** True if an error quotes the body (client-go/rest/request.go isTextResponse). */
export const isText = (contentType: string): boolean =>
  contentType === '' ||
  (mediaTypeFault(contentType) === undefined && contentType.trim().toLowerCase().startsWith('text/'));
