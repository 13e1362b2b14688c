import { escapeForJson } from '../text/escape-invisible.ts';

/** Number of list items per piece. */
const together = 40;

const opening = (name: string): string => `{\n  ${JSON.stringify(name)}: [\n`;
const closing = '\n  ]\n}';

/** The JSON of a member of a document; a long list in several pieces. */
function* memberPieces(name: string, value: unknown): Generator<string> {
  if (!Array.isArray(value) || value.length <= together) {
    yield JSON.stringify({ [name]: value }, null, 2).slice('{\n'.length, -'\n}'.length);
    return;
  }
  for (let at = 0; at < value.length; at += together) {
    const some = JSON.stringify({ [name]: value.slice(at, at + together) }, null, 2);
    const items = some.slice(opening(name).length, -closing.length);
    yield at === 0 ? `${opening(name).slice('{\n'.length)}${items}` : `,\n${items}`;
  }
  yield closing.slice(0, -'\n}'.length);
}

/**
 * Prints one JSON document, with unchanged values and without characters that a terminal obeys. It yields
 * pieces, so that the report of a large cluster is never one string of many megabytes. Ends with a line feed.
 */
export function* jsonPieces(document: object): Generator<string> {
  const members = Object.entries(document).filter(([, value]) => value !== undefined);
  if (members.length === 0) yield '{}\n';
  for (const [at, [name, value]] of members.entries()) {
    yield at === 0 ? '{\n' : ',\n';
    for (const piece of memberPieces(name, value)) yield escapeForJson(piece);
    if (at === members.length - 1) yield '\n}\n';
  }
}

/** Prints several documents as one `List`, in pieces, so that the reports of a fleet are never one string. */
export function* listPieces(documents: Iterable<object>): Generator<string> {
  yield '{\n  "apiVersion": "kubectl-webhook/v1",\n  "kind": "List",\n  "items": [';
  let between = '\n    ';
  for (const document of documents) {
    yield between;
    between = ',\n    ';
    // Line feeds only occur between values.
    yield renderJson(document).trimEnd().replaceAll('\n', '\n    ');
  }
  yield '\n  ]\n}\n';
}

/** The document of {@link jsonPieces} as one string. */
export const renderJson = (document: object): string => [...jsonPieces(document)].join('');
