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
    why: 'The API server names a webhook, not its configuration. The metrics of both are one series: nobody can tell which of them is called, fails or is slow. Nor does a denial, or the error of a Service that is missing, tell which of them it is about; a call that was made and failed quotes its address. (Within one configuration the API server refuses the second webhook of a name.)',
    advice:
      'Give each webhook a name of its own, or delete the configuration that is not needed. Where products choose the names, tell failed calls apart by the Service in the address, mutating webhooks by the audit annotation `mutation.webhook.admission.k8s.io`, which holds the configuration, and trust no alert that is about one of them alone.',
    noRemedy: { because: 'a name cannot be changed without a new webhook, which its owner has to make' },
    messages: {
      sameName: '{webhook} is also in configuration {others}: metrics and denials do not tell them apart',
      byChance: {
        text: '{webhook}, a name that kubebuilder gives, is also in configuration {others}: metrics and denials do not tell them apart',
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
