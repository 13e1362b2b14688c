import { isMap, isSeq, LineCounter, type Node } from 'yaml';
import { isJsonObject } from '../facts/collections.ts';
import { YamlTooLarge, yamlDocuments } from '../facts/yaml-documents.ts';

/** A range of indices: the descendants of a document, a key or an item. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** A document, a key or an item. */
interface Place {
  /** Line, starting at 1. */
  readonly line: number;
  readonly below: Part;
}

/**
 * Positions of the keys and items of a text. The parsed nodes, which need much more memory than values, are
 * not kept.
 */
interface Places {
  /** Adds everything below a node. `again` is called for a duplicate key. */
  add(node: unknown, again: (key: Node) => never): Part;
  /** The keys of a map, or the items of a list. */
  children(part: Part): readonly Place[];
  /** The last existing step of a path of names and indices; undefined if the first one does not exist. */
  find(part: Part, path: readonly (string | number)[]): Place | undefined;
}

const rangeOf = (node: unknown): Node['range'] => (node as Node | null)?.range;

const isName = (text: string, name: string): boolean =>
  text === name || text === `"${name}"` || text === `'${name}'`;

/**
 * The positions in a text, none at first: the caller adds each document of it.
 *
 * @param lines the line numbers that the parser has collected for the text.
 */
function placesIn(text: string, lines: LineCounter): Places {
  /**
   * For each, in the order of the text: its start, the end of its name (0 for an item), and the next entry
   * that is not below it.
   */
  const [starts, ends, nexts]: [number[], number[], number[]] = [[], [], []];
  const note = (place: unknown, end: number, below: unknown, again: (key: Node) => never): void => {
    const at = starts.push(rangeOf(place)?.[0] ?? 0) - 1;
    ends.push(end);
    nexts.push(0);
    nexts[at] = add(below, again).to;
  };
  const add: Places['add'] = (node, again) => {
    const from = starts.length;
    if (isMap<Node>(node)) {
      const keys = new Set<string>();
      for (const { key, value } of node.items) {
        if (keys.has(String(key))) again(key);
        keys.add(String(key));
        note(key, rangeOf(key)?.[1] ?? 0, value, again);
      }
    } else if (isSeq(node)) for (const item of node.items) note(item, 0, item, again);
    return { from, to: starts.length };
  };
  const within = ({ from, to }: Part): readonly number[] => {
    const found: number[] = [];
    for (let at = from; at < to; at = nexts[at] ?? to) found.push(at);
    return found;
  };
  const placeAt = (at: number): Place => ({
    line: lines.linePos(starts[at] ?? 0).line,
    below: { from: at + 1, to: nexts[at] ?? 0 },
  });
  const step = (part: Part, wanted: string | number): number | undefined =>
    within(part).find((at, nth) => {
      const end = ends[at] ?? 0;
      return typeof wanted === 'number'
        ? end === 0 && nth === wanted
        : end > 0 && isName(text.slice(starts[at], end), wanted);
    });
  return {
    add,
    children: (part) => within(part).map(placeAt),
    find(part, path) {
      let found: Place | undefined;
      for (const wanted of path) {
        const at = step(found?.below ?? part, wanted);
        if (at === undefined) break;
        found = placeAt(at);
      }
      return found;
    },
  };
}

/** A Kubernetes object of a manifest, and its position. */
export interface Manifest {
  readonly object: ManifestObject;
  readonly file: string;
  /** First line of the object, from 1. */
  readonly line: number;
  /** Number of keys and items in it, at all levels. */
  readonly size: number;
  /** Returns the line of a field, or of the closest existing parent: `webhooks[0].rules[1].resources`. */
  lineOf(field: string): number;
}

/** An object as written in a manifest: only these fields are certain to exist. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** The error for a text without valid manifests, with its location. */
export class ManifestProblem extends Error {
  constructor(file: string, line: number, message: string) {
    super(`${file}, line ${line}: ${message}`);
  }
}

/** The error for a template, which must be rendered first. */
export class UnrenderedTemplate extends ManifestProblem {}

/** Splits `webhooks[0].rules` into keys. */
const keysOf = (field: string): readonly (string | number)[] =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );

/** Recognises templates in text that is not YAML by their markers, as `{{ .Values.name }}`. */
const isTemplate = (text: string): boolean => /\{\{.*\}\}/.test(text);

const namesItsVersion = (text: string): boolean => /^\s*["']?apiVersion["']?\s*:/m.test(text);

const templateAdvice =
  'this is a template; render it first, as in helm template CHART | kubectl webhook lint -f -';

const mostAliases = 100;
const tooManyAliases = `its YAML has more than ${mostAliases} aliases of one anchor, or one without an anchor`;

/** A document that is not empty, as plain data with its position. */
interface YamlValue extends Place {
  readonly value: unknown;
  readonly places: Places;
}

/** Parses the documents of a text, one at a time. Throws {@link ManifestProblem}. */
export function* yamlValues(
  text: string,
  file: string,
  others: 'refused' | 'skipped' = 'refused',
): Generator<YamlValue> {
  const lines = new LineCounter();
  const places = placesIn(text, lines);
  const at = (node: Node): number => Math.max(1, lines.linePos(node.range?.[0] ?? 0).line);
  const again = (key: Node): never => {
    throw new ManifestProblem(file, at(key), `the key ${String(key)} appears twice`);
  };
  try {
    // Disabled: the parser's own search for duplicate keys is quadratic in their number.
    for (const document of yamlDocuments(text, { uniqueKeys: false }, lines)) {
      const { contents, errors } = document;
      const [error] = errors;
      if (error !== undefined) {
        const line = Math.max(1, lines.linePos(error.pos[0]).line);
        if (isTemplate(text)) throw new UnrenderedTemplate(file, line, templateAdvice);
        const why = /call stack/.test(error.message)
          ? 'the YAML is nested too deeply'
          : (error.message.split('\n')[0] ?? 'not YAML');
        throw new ManifestProblem(file, line, why);
      }
      if (contents === null) continue;
      const below = places.add(contents, again);
      let value: unknown;
      try {
        value = document.toJS({ maxAliasCount: mostAliases });
      } catch {
        throw new ManifestProblem(file, at(contents), tooManyAliases);
      }
      if (value !== null) yield { value, line: at(contents), below, places };
    }
  } catch (error) {
    if (others === 'skipped' && !namesItsVersion(text)) return;
    if (error instanceof YamlTooLarge) throw new ManifestProblem(file, error.line, error.message);
    throw error;
  }
}

/**
 * Parses the objects of a text: YAML documents or JSON, with lists split into their items. Throws {@link
 * ManifestProblem} for other text, and for templates.
 *
 * @param others how to handle YAML without a Kubernetes object: a directory may contain values and settings
 * of tools.
 */
export function manifestsOf(
  text: string,
  file: string,
  others: 'refused' | 'skipped' = 'refused',
): readonly Manifest[] {
  const found: Manifest[] = [];
  for (const { value, line: first, below: all, places } of yamlValues(text, file, others)) {
    const isNone =
      !isJsonObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string';
    if (isNone && others === 'skipped') continue;
    if (!isJsonObject(value)) throw new ManifestProblem(file, first, 'this is not a Kubernetes object');
    const manifest = (object: unknown, { line, below }: Place): Manifest => {
      const { apiVersion, kind, metadata } = isJsonObject(object) ? object : {};
      if (typeof apiVersion !== 'string' || typeof kind !== 'string')
        throw new ManifestProblem(file, line, 'the object has no apiVersion or no kind');
      if (metadata !== undefined && metadata !== null && !isJsonObject(metadata))
        throw new ManifestProblem(file, line, 'the metadata of the object is not a map');
      return {
        object: { ...(object as object), apiVersion, kind, metadata: { ...metadata } },
        file,
        line,
        size: below.to - below.from,
        lineOf: (field) => places.find(below, keysOf(field))?.line ?? line,
      };
    };
    const span = { line: first, below: all };
    const { kind, items } = value;
    if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
      const list = places.find(all, ['items']) ?? span;
      const each = places.children(list.below);
      for (const [index, item] of items.entries()) found.push(manifest(item, each[index] ?? list));
    } else found.push(manifest(value, span));
  }
  return found;
}
