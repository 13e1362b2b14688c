import { withoutSideEffects } from '../../apiserver/admission/review.ts';
import { sampleRequests } from '../../apiserver/sample/sample-request.ts';
import { isValid } from '../../apiserver/sample/test-object.ts';
import type { ClusterProber, ClusterReader } from '../../collect/cluster.ts';
import { type AdmissionCallout, type Callout, calloutId, isAdmission } from '../../facts/callout.ts';
import { pathOf } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isReadOf, type Unread, unreadText } from '../../facts/unread.ts';
import { addedFields, type DryRunResponse, dryRunOutcome, type Proof } from '../../soak/dry-run-outcome.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { chooseCallouts } from '../selection/choose-callouts.ts';
import { inItsShare } from '../time-slice.ts';
import { objectFrom, type SoakedObject, sendOnce } from './soaked-object.ts';

const lists = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations', 'namespaces'];

/** A line per failed read that affects the choice of the object. */
const unreadLines = (failed: readonly Unread[]): readonly string[] =>
  failed
    .filter((unread) => isReadOf(unread, lists))
    .map((unread) => `Not read: ${unreadText(unread)} (${unread.detail ?? unread.why})`);

/** The webhook with this name. Throws CannotStart if there is none, or it may not be called in dry runs. */
export function soakedWebhook(
  callouts: readonly Callout[],
  name: string,
  failed: readonly Unread[],
  namespace?: string,
): AdmissionCallout {
  const named = chooseCallouts(callouts, [name], { unread: failed, namespace });
  const unseen = unreadLines(failed);
  if (named.length === 0 && unseen.length > 0)
    throw new CannotStart(
      `unknown whether there is a webhook ${name}: not everything could be read`,
      unseen.join('\n'),
    );
  const [first, ...others] = named.filter(isAdmission);
  if (first === undefined)
    throw new CannotStart(
      `${name} is not an admission webhook: only admission webhooks can be called with dry runs`,
    );
  if (others.length > 0)
    throw new CannotStart(
      `"${name}" has ${others.length + 1} webhooks: name one of them`,
      `It has: ${[first, ...others].map(calloutId).join(', ')}`,
    );
  if (!withoutSideEffects.includes(first.sideEffects))
    throw new CannotStart(
      `${calloutId(first)} declares side effects (${first.sideEffects ?? 'none given'}): it cannot be called in a dry run`,
    );
  return first;
}

/** Facts from which test objects are created. */
type SampleFacts = Pick<Facts, 'version' | 'namespaces' | 'served'>;

/** Maximum number of objects to try until one is denied or changed. */
const suggestions = 6;

function suggested(callout: AdmissionCallout, facts: SampleFacts): readonly SoakedObject[] {
  const samples = sampleRequests(callout, facts, facts.version, suggestions * 3).filter(
    ({ request, sure }) =>
      sure && request.operation === 'CREATE' && (request.subresource ?? '') === '' && isValid(request),
  );
  return samples.slice(0, suggestions).map(({ request, served }) => {
    const { group, version, resource: plural } = served;
    const where =
      served.namespaced && request.namespace !== undefined ? { namespace: request.namespace } : {};
    return {
      request: {
        verb: 'create',
        path: pathOf({ group, version, plural }, where.namespace),
        object: request.object ?? {},
      },
      object: { kind: served.kind, name: request.name ?? '', ...where },
    };
  });
}

/** The sign in the first response by which later ones are evaluated; undefined if there is none. */
function proofOf(callout: AdmissionCallout, sent: SoakedObject, answer: DryRunResponse): Proof | undefined {
  const { webhook } = callout;
  const denial: Proof = { by: 'denial', webhook };
  if (dryRunOutcome(answer, denial).outcome === 'checked') return denial;
  if (callout.kind !== 'mutating' || answer.status < 200 || answer.status > 299) return undefined;
  const fields = addedFields(sent.request.object, answer.body);
  return fields.length === 0 ? undefined : { by: 'fields', webhook, fields };
}

/** The object to send, and the sign that the webhook was called. */
interface ChosenSample {
  readonly sent: SoakedObject;
  readonly proof: Proof;
  readonly by: 'given' | 'suggested';
}

/**
 * The object to send; each candidate is sent once. A given object of a validating webhook need not be denied
 * now: the user states that the webhook denies it.
 */
export async function chooseObject(
  { prober, reader }: { readonly prober: ClusterProber; readonly reader: ClusterReader },
  callout: AdmissionCallout,
  facts: SampleFacts,
  { object: text, failed }: { readonly object: string | undefined; readonly failed: readonly Unread[] },
): Promise<ChosenSample> {
  const given =
    text === undefined
      ? undefined
      : await inItsShare(reader, 1, 'while -f was read', () => objectFrom(text, facts, reader.namespace));
  const candidates = given === undefined ? suggested(callout, facts) : [given];
  const answers: string[] = [];
  for (const sent of candidates) {
    const answer = await sendOnce(prober, sent, callout);
    const proof = 'failure' in answer ? undefined : proofOf(callout, sent, answer);
    const by = given === undefined ? 'suggested' : 'given';
    if (proof !== undefined) return { sent, proof, by };
    const add = (text: string) => answers.push(`${sent.object.kind} ${sent.object.name}: ${text}`);
    if ('failure' in answer) {
      add(answer.failure);
      continue;
    }
    const denial = { by: 'denial', webhook: callout.webhook } as const;
    const result = dryRunOutcome(answer, denial);
    if (given !== undefined && callout.kind === 'validating' && result.outcome !== 'other')
      return { sent, proof: denial, by };
    add('message' in result ? result.message : 'admitted');
  }
  const must = callout.kind === 'mutating' ? 'changes (while it works)' : 'denies';
  throw new CannotStart(
    `no object shows whether ${calloutId(callout)} was called; give one that it ${must} with -f`,
    [
      ...(answers.length === 0 ? [] : [`Tried: ${answers.join('; ')}`]),
      ...(text === undefined ? unreadLines(failed) : []),
    ].join('\n') || undefined,
  );
}
