// What a snapshot leaves out, wherever it stands: values that nobody judges by, and that may be secret. What is judged by
// is a path, a number, yes or no, or a setting of leader election or of a proxy.
import { isJsonObject } from '../facts/json-object.ts';
import type { CalloutProbes } from '../facts/probes.ts';

const judged = /leader|lease|proxy/i;
const harmlessValue = /^(true|false|yes|no|on|off|\d+(\.\d+)?(ms|s|m|h)?|\/.*|)$/i;
const secretName = /passw|secret|token|credential|api-?key|access-?key|dsn|auth/i;
/** Names and passwords in a URL (RFC 3986, 3.2.1). */
const userInfo = /(\w+:\/\/)[^\s/@]+@/g;
/** `kubectl apply` keeps the whole object in it. */
const wholeObject = 'kubectl.kubernetes.io/last-applied-configuration';
/** Characters of an annotation: settings are short, documents are not. */
const longest = 1024;

interface Variable {
  readonly name?: unknown;
  readonly value?: unknown;
}

function withoutValue(variable: Variable): Variable {
  const { value, ...rest } = variable;
  if (typeof value !== 'string') return variable;
  const kept = judged.test(String(variable.name)) || harmlessValue.test(value);
  return kept ? { ...rest, value: value.replace(userInfo, '$1') } : rest;
}

/** `--token=abc` without its value, and `abc` after `--token`. */
function withoutValues(words: readonly unknown[]): readonly unknown[] {
  return words.map((word, at) => {
    if (typeof word !== 'string') return word;
    const [, flag, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const before = words[at - 1];
    if (flag !== undefined && secretName.test(flag) && !harmlessValue.test(value ?? '')) return flag;
    if (typeof before === 'string' && /^--?[\w-]+$/.test(before) && secretName.test(before))
      return word.startsWith('-') || harmlessValue.test(word) ? word : '';
    return word.replace(userInfo, '$1');
  });
}

const withoutDocuments = (annotations: object, all: boolean): object =>
  Object.fromEntries(
    Object.entries(annotations).filter(
      ([key, value]) => all || (key !== wholeObject && String(value).length <= longest),
    ),
  );

/** Real objects that replicas were called with, whole: patches of them are not judged again. */
const holdsObjects = ({ replicas, url }: CalloutProbes): boolean =>
  [...replicas.flatMap(({ dialogues }) => dialogues), ...(url === undefined ? [] : [url])]
    .flatMap(({ reviews }) => reviews)
    .some(({ object }) => object !== undefined);

/**
 * A fact without them. Annotations of webhook configurations, CRDs and APIServices stay whole: the configuration that
 * was applied tells who empties a caBundle, and holds nothing that the configuration does not.
 */
export function withoutSecretValues(fact: string, value: unknown): unknown {
  const strip = (name: string, inner: unknown): unknown => {
    if (name === 'images' && fact === 'nodes') return undefined;
    if (name === 'probes' && fact === 'samples' && holdsObjects(inner as CalloutProbes)) return undefined;
    if (Array.isArray(inner)) {
      if (name === 'env') return inner.map((one) => strip('', isJsonObject(one) ? withoutValue(one) : one));
      if (name === 'args' || name === 'command') return withoutValues(inner);
      return inner.map((one) => strip('', one));
    }
    if (!isJsonObject(inner) || inner instanceof Uint8Array) return inner;
    if (name === 'annotations') return withoutDocuments(inner, fact === 'callouts');
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, strip(key, one)]));
  };
  return strip('', value);
}
