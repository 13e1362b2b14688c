// Removes values that may be secret and that no check needs. Checks need paths, numbers, booleans, and
// settings of leader election and proxies.
import { isJsonObject } from '../basics/collections.ts';
import { type CalloutProbes, probeConnectionsOf } from '../facts/probes.ts';

const readByChecks = /leader|lease|proxy/i;
const harmlessValue = /^(true|false|yes|no|on|off|\d+(\.\d+)?(ms|s|m|h)?|\/.*|)$/i;
const secretName = /passw|secret|token|credential|api-?key|access-?key|dsn|auth/i;
/** The name of a Secret is not confidential: `--secret-name=policy-tls` shows which Secret a Job writes. */
const isSecret = (flag: string): boolean => secretName.test(flag) && !/-name(?:space)?$/i.test(flag);
/** User and password in a URL (RFC 3986, 3.2.1). */
const userInfo = /(\w+:\/\/)[^\s/@]+@/g;
/** The annotation in which `kubectl apply` stores the complete object. */
const wholeObject = 'kubectl.kubernetes.io/last-applied-configuration';
/** Maximum length of an annotation: settings are short, documents are not. */
const longest = 1024;

interface Variable {
  readonly name?: unknown;
  readonly value?: unknown;
}

function withoutValue(variable: Variable): Variable {
  const { value, ...rest } = variable;
  if (typeof value !== 'string') return variable;
  const kept = readByChecks.test(String(variable.name)) || harmlessValue.test(value);
  return kept ? { ...rest, value: value.replace(userInfo, '$1') } : rest;
}

/** Removes the value of `--token=abc`, and `abc` after `--token`. */
function withoutValues(words: readonly unknown[]): readonly unknown[] {
  return words.map((word, at) => {
    if (typeof word !== 'string') return word;
    const [, flag, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const before = words[at - 1];
    if (flag !== undefined && isSecret(flag) && !harmlessValue.test(value ?? '')) return flag;
    if (typeof before === 'string' && /^--?[\w-]+$/.test(before) && isSecret(before))
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

/** Whether probes contain stored objects that Pods were called with, whose patches are not read again. */
const containsObjects = (probes: CalloutProbes): boolean =>
  probeConnectionsOf(probes)
    .flatMap(({ reviews }) => reviews)
    .some(({ object }) => object !== undefined);

/**
 * A fact without secret values. Annotations of webhook configurations, CRDs and APIServices are kept: the
 * last applied configuration shows who empties a caBundle, and contains nothing that the object does not.
 */
export function withoutSecretValues(fact: string, value: unknown): unknown {
  const strip = (name: string, inner: unknown): unknown => {
    if (name === 'images' && fact === 'nodes') return undefined;
    if (name === 'probes' && fact === 'samples' && containsObjects(inner as CalloutProbes)) return undefined;
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
