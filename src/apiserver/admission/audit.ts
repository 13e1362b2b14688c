import type { AdmissionCallout } from '../../facts/callout.ts';

/** Where in a request a call stands. */
export interface CallPlace {
  /** Second round of mutating webhooks: 1. */
  readonly round: 0 | 1;
  /**
   * Mutating: place among all mutating webhooks of the cluster, in call order. Validating: place among those that this
   * request is sent to.
   */
  readonly index: number;
}

const at = ({ round, index }: CallPlace): string => `round_${round}_index_${index}`;

/** The audit annotation of a call that failed open; its value is the webhook's name (Metadata level). */
export const failedOpenKey = (kind: AdmissionCallout['kind'], place: CallPlace): string =>
  kind === 'mutating'
    ? `failed-open.mutation.webhook.admission.k8s.io/${at(place)}`
    : `failed-open.validating.webhook.admission.k8s.io/${at(place)}`;

/** The audit annotation that every call of a mutating webhook leaves: who it was, and whether the object changed. */
export const mutationKey = (place: CallPlace): string => `mutation.webhook.admission.k8s.io/${at(place)}`;

/** The audit annotation of a patch (Request level). */
export const patchKey = (place: CallPlace): string => `patch.webhook.admission.k8s.io/${at(place)}`;

/** The value of `mutationKey`. */
export const mutationValue = (
  { configuration, webhook }: Pick<AdmissionCallout, 'configuration' | 'webhook'>,
  mutated: boolean,
): string => JSON.stringify({ configuration, webhook, mutated });
