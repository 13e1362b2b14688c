import { type Document, isMap, isSeq, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';

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

/** A document as plain data. Throws what `problem` makes where its aliases would fill a memory, or name no anchor. */
export function yamlValue(document: Document.Parsed, problem: (why: string) => Error): unknown {
  try {
    return document.toJS({ maxAliasCount: mostAliases });
  } catch {
    throw problem(`its YAML has more than ${mostAliases} aliases of one anchor, or one without an anchor`);
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
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document): readonly Manifest[] => {
    const { contents, errors } = document;
    const [error] = errors;
    const at = (node: unknown): number => Math.max(1, lines.linePos(startOf(node)).line);
    if (error !== undefined) {
      const [{ line = 1 } = {}] = error.linePos ?? [];
      const why = isTemplate(text)
        ? 'this is a Helm template; render it first: helm template CHART | kubectl webhook lint -f -'
        : /call stack/.test(error.message)
          ? 'the YAML is nested too deeply'
          : (error.message.split('\n')[0]?.replace(/ at line .*/, '') ?? 'not YAML');
      throw new ManifestProblem(file, line, why);
    }
    if (contents === null) return [];
    // The parser's own search for these grows with the square of their number.
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
    const value = yamlValue(document, (why) => new ManifestProblem(file, at(contents), why));
    if (value === null) return [];
    const isNone = !isObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string';
    if (isNone && others === 'skipped') return [];
    if (!isMap(contents) || !isObject(value))
      throw new ManifestProblem(file, at(contents), 'this is not a Kubernetes object');
    const manifest = (object: unknown, path: readonly (string | number)[]): Manifest => {
      const node = path.length === 0 ? contents : document.getIn(path, true);
      const { apiVersion, kind, metadata } = isObject(object) ? object : {};
      if (typeof apiVersion !== 'string' || typeof kind !== 'string')
        throw new ManifestProblem(file, at(node), 'the object has no apiVersion or no kind');
      if (metadata !== undefined && metadata !== null && !isObject(metadata))
        throw new ManifestProblem(file, at(node), 'the metadata of the object is not a map');
      return {
        object: { ...(object as object), apiVersion, kind, metadata: { ...metadata } },
        file,
        line: at(node),
        lineOf(field) {
          const keys = [...path, ...keysOf(field)];
          for (let length = keys.length; length > path.length; length -= 1) {
            const parent = document.getIn(keys.slice(0, length - 1), true);
            const key = keys[length - 1];
            const pair = isMap(parent) ? parent.items.find((one) => String(one.key) === key) : undefined;
            const item = isSeq(parent) && typeof key === 'number' ? parent.items[key] : undefined;
            const found = length === 1 && path.length === 0 ? pair?.key : (pair?.key ?? item);
            if (found !== undefined) return at(found);
          }
          return at(node);
        },
      };
    };
    const { kind, items } = value;
    return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
      ? items.map((item, index) => manifest(item, ['items', index]))
      : [manifest(value, [])];
  });
}
