import { LineCounter, type Node } from 'yaml';
import { isJsonObject } from '../basics/collections.ts';
import { YamlTooLarge, yamlDocuments } from '../basics/yaml-documents.ts';
import { type Place, type Places, placesIn } from './yaml-places.ts';

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
