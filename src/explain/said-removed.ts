import type { CauseKind } from '../apiserver/sentences/call-error/cause-kind.ts';
import type { RecognisedRecord } from './recognised-record.ts';

/** Ends of calls to a Service that may not exist. The API server resolves a Service before it connects, so others prove it. */
const withoutService: ReadonlySet<CauseKind> = new Set(['service-missing', 'dns', 'unavailable', 'other']);

/** The words before and after which a statement says what was removed. */
const namespaces = [/\b(?<name>[\w-]+) namespace\b/gi, /\bnamespace (?<name>[\w-]+)/gi];
const programs = [
  /\buninstall(?:ed|ing) (?:the |my |our )?(?<name>[\w-]+)/gi,
  /\b(?<name>[\w-]+) (?:was|were|(?:has|have|had) been) uninstalled/gi,
];

/** A removed thing, and the word before or after that may name its product: `the prometheus operator`, `release "shop"`. */
const things =
  /(?:\b(?<before>[\w-]+) )?\b(?:chart|operator|release|product)\b(?: (?:(?:of|for|called|named) (?:the )?)?[`'"](?<quoted>[\w-]+)| (?:of|for|called|named) (?:the )?(?<after>[\w-]+))?/gi;
/** Words before such a thing that name no product. */
const general =
  /^(?:a|an|the|this|that|its|my|our|old|whole|entire|helm|webhook|admission|same|uninstall(?:ed|ing))$/i;

/** The words that a statement names as removed. */
const removedIn = (sentence: string, expressions: readonly RegExp[]): readonly string[] =>
  expressions.flatMap((one) => [...sentence.matchAll(one)].flatMap(({ groups }) => groups?.name ?? []));

/** True if a word is part of the names of the backend: `tekton` or `tekton-pipelines` of `webhook.pipeline.tekton.dev`. */
function isPartOf(names: string, word: string): boolean {
  const parts = names.toLowerCase().split(/[^a-z0-9]+/);
  return word
    .toLowerCase()
    .split('-')
    .some((part) => part.length > 3 && parts.includes(part));
}

/**
 * True if a statement that something was removed is about the product that a record calls: the namespace of its Service,
 * a chart, operator or release that has no other name, or a name of the backend. Never if the error proves that the Service exists.
 */
export function isRemovalOf(found: RecognisedRecord, sentence: string): boolean {
  const { service, cause, webhook = '' } = found.error ?? {};
  if (cause !== undefined && !withoutService.has(cause.kind)) return false;
  if (!/\buninstall/i.test(sentence)) {
    if (/\bits namespace\b|\bnamespace (?:where|in which)\b/i.test(sentence)) return true;
    return removedIn(sentence, namespaces).some((one) =>
      service === undefined ? isPartOf(webhook, one) : one === service.namespace,
    );
  }
  const names = service === undefined ? found.text : `${service.namespace} ${service.name}`;
  const isOfBackend = [...sentence.matchAll(things)].some(({ groups }) => {
    const { before = 'a', quoted, after }: Partial<Record<string, string>> = groups ?? {};
    const named = [general.test(before) ? undefined : before, quoted ?? after].filter(
      (one) => one !== undefined,
    );
    return named.length === 0 || named.some((one) => isPartOf(names, one));
  });
  if (isOfBackend) return true;
  return removedIn(sentence, programs).some((one) => isPartOf(names, one));
}
