import { configurationsOf, duplicates, isCoincidence } from '../../apiserver/admission/duplicates.ts';
import { type AdmissionCallout, isServiceBacked, webhookEvidence } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck, note } from '../check.ts';

/** Kyverno's cleanup controller has two configurations of one name: one backend, as the product intends. */
const isOneProduct = (a: AdmissionCallout, b: AdmissionCallout): boolean =>
  productOf(a) !== undefined &&
  productOf(a) === productOf(b) &&
  isServiceBacked(a) &&
  isServiceBacked(b) &&
  keyOf(a.client.service) === keyOf(b.client.service);

export const duplicateWebhookName = defineCheck({
  meta: {
    id: 'duplicate-webhook-name',
    title: 'Two configurations have a webhook of the same name',
    severity: 'warning',
    why: 'Metrics, denials and the error of a missing Service name the webhook, not its configuration, so both appear as one. Only the address in the error of a failed call shows which of them failed.',
    advice:
      '[choose] Change the name in one of the configurations (`kubectl edit {kind} {configuration}`), or delete the one that is not needed. [end] If the products set the names, identify failed calls by the Service in the address. [with] For mutating webhooks, the audit annotation `mutation.webhook.admission.k8s.io` contains the configuration.',
    noRemedy: { because: 'a new name requires a new webhook, which its owner must create' },
    messages: {
      sameName: '{webhook} is also in {others}: metrics and denials do not distinguish them',
      byChance: note(
        '{webhook}, a default name of kubebuilder, is also in {others}: metrics and denials do not distinguish them',
      ),
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#mutating-webhook-auditing-annotations',
    ],
    follows: ['duplicate-installation'],
  },
  requires: ['callouts'],
  subjects: duplicates,
  run({ callout, others: all }, _facts, find) {
    const others = all.filter((other) => !isOneProduct(callout, other));
    if (others.length === 0) return;
    const { webhook } = callout;
    const messageId = others.every((other) => isCoincidence(callout, other)) ? 'byChance' : 'sameName';
    return find(
      messageId,
      { webhook, others: configurationsOf(others) },
      [callout, ...others].map((one) => webhookEvidence(one, 'name', one.webhook)),
    );
  },
});
