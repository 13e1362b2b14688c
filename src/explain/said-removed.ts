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
 * a chart, operator or release, or a name of the backend. Never if the error proves that the Service exists.
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
  if (/\b(?:chart|operator|release|product)\b/i.test(sentence)) return true;
  const names = service === undefined ? found.text : `${service.namespace} ${service.name}`;
  return removedIn(sentence, programs).some((one) => isPartOf(names, one));
}
