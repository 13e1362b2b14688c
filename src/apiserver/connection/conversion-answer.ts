import type { ConversionCallout } from '../../facts/callout.ts';
import type { HttpAnswer, ReviewExchange } from '../../facts/probes.ts';
import { conversionFailure, conversionRefused } from '../call-sentence.ts';
import type { Judged } from '../response/backend-answer.ts';
import { judgeAnswer } from '../response/response.ts';

interface SentReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly response?: {
    readonly uid?: string;
    readonly result?: { readonly status?: string; readonly message?: string };
    readonly convertedObjects?: readonly unknown[];
  };
}

function parse(body: Uint8Array): SentReview | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as SentReview;
  } catch {
    return undefined;
  }
}

/** After `failed to call webhook: `: the words for HTTP are the same for every kind of webhook. */
const afterStage = (text: string): string =>
  text.replace(/^failed calling webhook "[^"]*": (failed to call webhook: )?/, '');

interface Converted {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['UID', 'uid'],
] as const;

/**
 * What is wrong with the converted objects, and whether the words hold for every object: of a real one's version and
 * name nobody knows here. Converter.Convert and validateConvertedObject.
 */
function refusedBecause(
  { resource, versions }: ConversionCallout,
  sent: unknown,
  objects: readonly unknown[],
): readonly [what: string, complete: boolean] | undefined {
  if (objects.length !== 1) return [`${objects.length} objects, expected 1`, true];
  const got = (objects[0] ?? {}) as Converted;
  const at = 'invalid object at index 0: ';
  const wanted = `${resource.group}/${versions.find(({ storage }) => storage)?.name ?? ''}`;
  if (got.apiVersion !== wanted)
    return [`${at}invalid groupVersion (expected ${wanted}, received ${got.apiVersion ?? ''})`, false];
  if (got.kind !== resource.kind)
    return [`${at}invalid kind (expected ${resource.kind}, received ${got.kind ?? ''})`, true];
  const before = (sent as Converted | undefined)?.metadata;
  for (const [name, key] of identity) {
    const [e, a] = [before?.[key] ?? '', got.metadata?.[key] ?? ''];
    if (before !== undefined && e !== a)
      return [`invalid object: must have the same ${name}: ${e} != ${a}`, false];
  }
  return undefined;
}

/**
 * What the API server makes of the answer to a ConversionReview: HTTP as for an admission webhook, and then the rules of
 * apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */
export function judgeConversion(
  answer: HttpAnswer,
  { version, uid, object }: ReviewExchange,
  callout: ConversionCallout,
  server?: string,
): Judged {
  const failing = (cause: string, complete = true): Judged => ({
    outcome: 'call-failure',
    text: conversionFailure(callout, cause),
    complete,
    code: 500,
  });
  const review = answer.status >= 200 && answer.status <= 206 ? parse(answer.body) : undefined;
  if (review === undefined || review === null || typeof review !== 'object') {
    const asked = { webhook: callout.webhook, kind: 'validating', version, uid } as const;
    const told = judgeAnswer(answer, { ...asked, ...(server === undefined ? {} : { server }) });
    return told.outcome === 'call-failure' ? failing(afterStage(told.text), told.complete) : told;
  }
  const { response } = review;
  if (version === 'v1') {
    const want = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
    const [group = '', number = ''] = (review.apiVersion ?? '').split('/');
    const got = `${group}/${number}, Kind=${review.kind ?? ''}`;
    if (got !== want) return failing(`expected webhook response of ${want}, got ${got}`, false);
    if (response === undefined) return failing('no response provided');
    if (response.uid !== uid) return failing(`expected response.uid="${uid}", got "${response.uid ?? ''}"`);
  }
  if (response === undefined) return failing('no response provided');
  const { status = '', message = '' } = response.result ?? {};
  if (status !== 'Success') {
    return failing(message === '' ? `response.result.status was '${status}', not 'Success'` : message);
  }
  const refused = refusedBecause(callout, object, response.convertedObjects ?? []);
  if (refused === undefined) return { outcome: 'allowed', warnings: [], auditAnnotations: {} };
  const [what, complete] = refused;
  return { outcome: 'call-failure', text: conversionRefused(callout, what), complete, code: 500 };
}
