import { configurationsOf, duplicates, meetByChance } from '../../apiserver/admission/duplicates.ts';
import { type AdmissionCallout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** Kyverno's cleanup controller has two configurations with one name: one backend, and the product's own choice. */
const isOneProduct = (a: AdmissionCallout, b: AdmissionCallout): boolean =>
  productOf(a) !== undefined &&
  productOf(a) === productOf(b) &&
  isServiceBacked(a) &&
  isServiceBacked(b) &&
  keyOf(a.client.service) === keyOf(b.client.service);

export const duplicateWebhookName = defineCheck({
  meta: {
    id: 'duplicate-webhook-name',
    link: 'registration',
    title: 'Two configurations have a webhook of the same name',
    severity: 'warning',
    why: 'Metrics name the webhook, not its configuration: both are one series, and it is unknown which of them is called, fails or is slow. A denial, or the error of a missing Service, does not identify it either; the error of a failed call contains its address. (Within one configuration, the API server refuses a duplicate name.)',
    advice:
      'Give each webhook a unique name, or delete the configuration that is not needed. If the products set the names, identify failed calls by the Service in the address, and mutating webhooks by the audit annotation `mutation.webhook.admission.k8s.io`, which contains the configuration. Do not rely on an alert for one of them alone.',
    noRemedy: { because: 'a new name requires a new webhook, which its owner must create' },
    messages: {
      sameName: '{webhook} is also in configuration {others}: metrics and denials do not distinguish them',
      byChance: {
        text: '{webhook}, a default name of kubebuilder, is also in configuration {others}: metrics and denials do not distinguish them',
        severity: 'info',
      },
    },
    follows: ['duplicate-installation'],
  },
  requires: ['callouts'],
  subjects: duplicates,
  run({ callout, others: all }, _facts, find) {
    const others = all.filter((other) => !isOneProduct(callout, other));
    if (others.length === 0) return;
    const { webhook, index } = callout;
    const messageId = others.every((other) => meetByChance(callout, other)) ? 'byChance' : 'sameName';
    return find(messageId, { webhook, others: configurationsOf(others) }, [
      { object: callout.ref, field: `webhooks[${index}].name`, value: webhook },
      ...others.map((other) => ({
        object: other.ref,
        field: `webhooks[${other.index}].name`,
        value: other.webhook,
      })),
    ]);
  },
});
