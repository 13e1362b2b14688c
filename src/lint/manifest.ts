import { type Document, isMap, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { YamlTooLarge, yamlDocuments } from '../facts/yaml-documents.ts';

/** A Kubernetes object of a manifest, and where it stands. */
export interface Manifest {
  readonly object: ManifestObject;
  readonly file: string;
  /** First line of the object, from 1. */
  readonly line: number;
  /** The line of a field, or of the nearest part of its path that is there: `webhooks[0].rules[1].resources`. */
  lineOf(field: string): number;
}

/** Whatever somebody wrote, as far as it names itself. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** A text that holds no manifests: where, and why. */
export class ManifestProblem extends Error {
  constructor(file: string, line: number, message: string) {
    super(`${file}, line ${line}: ${message}`);
  }
}

/** `webhooks[0].rules` as the keys on the way there. */
const keysOf = (field: string): readonly (string | number)[] =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTemplate = (text: string): boolean =>
  /\{\{[-\s]*(?:\.|include|template|if|range|with|end|toYaml)/.test(text);

const startOf = (node: unknown): number => (node as Node | undefined)?.range?.[0] ?? 0;

const mostAliases = 100;
const tooManyAliases = `its YAML has more than ${mostAliases} aliases of one anchor, or one without an anchor`;

type Path = readonly (string | number)[];

/** The document that was last asked for a line. */
let opened:
  | { readonly text: string; readonly document: Document.Parsed; readonly lines: LineCounter }
  | undefined;

/**
 * Finds the lines of fields below a path of a document, `otherwise` where they are not there. The document is read again
 * when one is asked for: nodes take many times the memory of values.
 */
const linesOf =
  (text: string, first: number) =>
  (path: Path, otherwise: number): Manifest['lineOf'] =>
  (field) => {
    if (opened?.text !== text) {
      const lines = new LineCounter();
      opened = { text, lines, document: parseDocument(text, { lineCounter: lines, uniqueKeys: false }) };
    }
    const { document, lines } = opened;
    const keys = [...path, ...keysOf(field)];
    for (let length = keys.length; length > path.length; length -= 1) {
      const parent = document.getIn(keys.slice(0, length - 1), true);
      const key = keys[length - 1];
      const pair = isMap(parent) ? parent.items.find((one) => String(one.key) === key) : undefined;
      const item = isSeq(parent) && typeof key === 'number' ? parent.items[key] : undefined;
      const found = length === 1 && path.length === 0 ? pair?.key : (pair?.key ?? item);
      if (found !== undefined) return first - 1 + lines.linePos(startOf(found)).line;
    }
    return otherwise;
  };

/** A document that says something, as plain data, and the lines of its nodes, from 1. */
export interface YamlValue {
  readonly value: unknown;
  readonly document: Document.Parsed;
  at(node: unknown): number;
}

/** The documents of a text, one at a time. Throws {@link ManifestProblem}. */
export function* yamlValues(text: string, file: string): Generator<YamlValue> {
  const lines = new LineCounter();
  const at = (node: unknown): number => Math.max(1, lines.linePos(startOf(node)).line);
  try {
    // The parser's own search for keys that appear twice grows with the square of their number.
    for (const document of yamlDocuments(text, { uniqueKeys: false }, lines)) {
      const { contents, errors } = document;
      const [error] = errors;
      if (error !== undefined) {
        const why = isTemplate(text)
          ? 'this is a Helm template; render it first: helm template CHART | kubectl webhook lint -f -'
          : /call stack/.test(error.message)
            ? 'the YAML is nested too deeply'
            : (error.message.split('\n')[0] ?? 'not YAML');
        throw new ManifestProblem(file, Math.max(1, lines.linePos(error.pos[0]).line), why);
      }
      if (contents === null) continue;
      visit(contents, {
        Map(_, { items }) {
          const seen = new Set<string>();
          for (const { key } of items) {
            if (seen.has(String(key)))
              throw new ManifestProblem(file, at(key), `the key ${String(key)} appears twice`);
            seen.add(String(key));
          }
        },
      });
      let value: unknown;
      try {
        value = document.toJS({ maxAliasCount: mostAliases });
      } catch {
        throw new ManifestProblem(file, at(contents), tooManyAliases);
      }
      if (value !== null) yield { value, document, at };
    }
  } catch (error) {
    if (error instanceof YamlTooLarge) throw new ManifestProblem(file, error.line, error.message);
    throw error;
  }
}

/**
 * The objects of a text: YAML documents or JSON, lists taken apart. Throws {@link ManifestProblem} for what is neither, and
 * for templates that nobody has rendered.
 *
 * @param others what to do with YAML that is no Kubernetes object: a directory may hold values and settings of tools.
 */
export function manifestsOf(
  text: string,
  file: string,
  others: 'refused' | 'skipped' = 'refused',
): readonly Manifest[] {
  const found: Manifest[] = [];
  for (const { value, document, at } of yamlValues(text, file)) {
    const isNone = !isObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string';
    if (isNone && others === 'skipped') continue;
    const { contents, range } = document;
    if (!isMap(contents) || !isObject(value))
      throw new ManifestProblem(file, at(contents), 'this is not a Kubernetes object');
    const lineOf = linesOf(text.slice(range[0], range[2]), at({ range }));
    const manifest = (object: unknown, path: Path): Manifest => {
      const line = at(path.length === 0 ? contents : document.getIn(path, true));
      const { apiVersion, kind, metadata } = isObject(object) ? object : {};
      if (typeof apiVersion !== 'string' || typeof kind !== 'string')
        throw new ManifestProblem(file, line, 'the object has no apiVersion or no kind');
      if (metadata !== undefined && metadata !== null && !isObject(metadata))
        throw new ManifestProblem(file, line, 'the metadata of the object is not a map');
      return {
        object: { ...(object as object), apiVersion, kind, metadata: { ...metadata } },
        file,
        line,
        lineOf: lineOf(path, line),
      };
    };
    const { kind, items } = value;
    if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
      for (const [index, item] of items.entries()) found.push(manifest(item, ['items', index]));
    else found.push(manifest(value, []));
  }
  return found;
}
