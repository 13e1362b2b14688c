import type { ApiObject } from '../api-object.ts';
import type { ApiState } from '../api-request.ts';
import { jsonPatched } from '../patched.ts';
import { type ApiAnswer, badRequest, failure, jsonAnswer, NotSupported } from '../status.ts';
import { callWebhook } from './call-webhook.ts';
import { type AdmissionAttributes, isMatched, type StoredWebhook } from './matching.ts';
import type { ReviewVerdict } from './review-answer.ts';

/** The webhooks of a kind, in the order in which the API server calls them. */
const webhooksOf = (kind: string, { store }: Pick<ApiState, 'store'>): readonly StoredWebhook[] =>
  store
    .of('admissionregistration.k8s.io', kind)
    .flatMap((configuration) => (configuration.webhooks ?? []) as readonly StoredWebhook[]);

const callFailed = (name: string, message: string): ApiAnswer => {
  const cause = `failed calling webhook "${name}": ${message}`;
  return failure(500, 'InternalError', `Internal error occurred: ${cause}`, { causes: [{ message: cause }] });
};

function refusalOf({ name, failurePolicy }: StoredWebhook, judged: ReviewVerdict): ApiAnswer | undefined {
  if (judged.is === 'allowed') return undefined;
  if (judged.is === 'failed')
    return failurePolicy === 'Ignore' ? undefined : callFailed(name, judged.message);
  const { code, message } = judged;
  return jsonAnswer(code, {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code },
  });
}

type Admitted = { readonly object: ApiObject | undefined } | { readonly refused: ApiAnswer };

/**
 * Writes of webhook configurations are not sent to webhooks (plugin/webhook/rules
 * IsExemptAdmissionConfigurationResource).
 */
const isExempt = ({ resource: { group, plural } }: AdmissionAttributes): boolean =>
  group === 'admissionregistration.k8s.io' && /webhookconfigurations$/.test(plural);

/**
 * Calls every matching webhook over the network in sequence, mutating ones first, and returns the resulting
 * object.
 */
export async function admit(
  attributes: Omit<AdmissionAttributes, 'namespaceObject'>,
  call: Parameters<typeof callWebhook>[2],
  state: ApiState,
): Promise<Admitted> {
  const home =
    attributes.resource.kind === 'Namespace' ? attributes.object?.metadata.name : attributes.namespace;
  const namespaceObject = state.store.of('', 'Namespace').find(({ metadata }) => metadata.name === home);
  let request: AdmissionAttributes = { ...attributes, ...(namespaceObject && { namespaceObject }) };
  if (isExempt(request)) return { object: request.object };
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    for (const webhook of webhooksOf(kind, state)) {
      if (!isMatched(webhook, request)) continue;
      if ((webhook.matchConditions ?? []).length > 0) throw new NotSupported('match conditions');
      if (request.dryRun && !['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''))
        return {
          refused: badRequest(`admission webhook "${webhook.name}" does not support dry run`),
        };
      if (webhook.admissionReviewVersions[0] !== 'v1') throw new NotSupported('reviews other than v1');
      const judged = await callWebhook(webhook, request, call, state);
      const refused = refusalOf(webhook, judged);
      if (refused !== undefined) return { refused };
      if (judged.is === 'allowed' && judged.patch !== undefined && request.object !== undefined)
        request = { ...request, object: jsonPatched(request.object, judged.patch) };
    }
  }
  return { object: request.object };
}
