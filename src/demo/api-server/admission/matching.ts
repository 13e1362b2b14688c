import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { type Match, matchRequest } from '../../../apiserver/admission/match.ts';
import { webhookChain } from '../../../apiserver/admission/order.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import { admissionCallouts, type ConfigurationObject } from '../../../facts/callout-of.ts';
import { lookup } from '../../../facts/lookup.ts';
import type { ServedResources } from '../../../facts/served-resources.ts';
import type { ApiObject, ObjectsOf } from '../object-store.ts';

const ofKind = (kind: AdmissionCallout['kind'], objects: readonly ApiObject[]) =>
  objects.flatMap((configuration) =>
    admissionCallouts(kind, configuration as unknown as ConfigurationObject),
  );

/** The webhooks of the cluster, in the order in which the API server calls them. */
export function webhooksIn(store: ObjectsOf): readonly AdmissionCallout[] {
  const group = 'admissionregistration.k8s.io';
  const { mutating, validating } = webhookChain([
    ...ofKind('mutating', store.of(group, 'MutatingWebhookConfiguration')),
    ...ofKind('validating', store.of(group, 'ValidatingWebhookConfiguration')),
  ]);
  return [...mutating, ...validating];
}

const complete = { others: undefined };

/** No resource has another version: the demo does not convert objects. */
const served = lookup<ServedResources>(new Map(), complete);

/** Whether the API server calls the webhook for the request. */
export function matchIn(webhook: AdmissionCallout, request: AdmissionRequest, store: ObjectsOf): Match {
  const namespaces = new Map(store.of('', 'Namespace').map((object) => [object.metadata.name, object]));
  return matchRequest(webhook, request, { namespaces: lookup(namespaces, complete), served });
}
