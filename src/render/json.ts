import { escapeForJson } from './escape-invisible.ts';

/** Items of a list that are printed at once. */
const together = 40;

const opening = (name: string): string => `{\n  ${JSON.stringify(name)}: [\n`;
const closing = '\n  ]\n}';

/** A member of a document as it stands in it; a long list in pieces. */
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
 * One JSON document: true values, and nothing that a terminal would obey. In pieces, so that the report of a large
 * cluster never stands in memory as one text of many megabytes. Ends with a line feed.
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

/** Several documents as one `List`, one after the other: a fleet's reports never stand in memory as one text. */
export function* listPieces(documents: Iterable<object>): Generator<string> {
  yield '{\n  "apiVersion": "kubectl-webhook/v1",\n  "kind": "List",\n  "items": [';
  let between = '\n    ';
  for (const document of documents) {
    yield between;
    between = ',\n    ';
    // Line feeds stand between values only.
    yield renderJson(document).trimEnd().replaceAll('\n', '\n    ');
  }
  yield '\n  ]\n}\n';
}

export const renderJson = (document: object): string => [...jsonPieces(document)].join('');
