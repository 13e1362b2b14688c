import { type AdmissionCallout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';
import { configurationsOf, duplicates } from './duplicates.ts';

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
    why: 'Errors, metrics and audit annotations of the API server name the webhook and not its configuration: nobody can tell which of them failed or was slow.',
    advice: 'Give each webhook a name of its own, or delete the configuration that is not needed.',
    messages: { sameName: '{webhook} is also in configuration {others}' },
    follows: ['duplicate-installation'],
  },
  requires: ['callouts'],
  subjects: duplicates,
  run({ callout, others: all }, _facts, find) {
    const others = all.filter((other) => !isOneProduct(callout, other));
    if (others.length === 0) return;
    const { webhook, index } = callout;
    return find('sameName', { webhook, others: configurationsOf(others) }, [
      { object: callout.ref, field: `webhooks[${index}].name`, value: webhook },
      ...others.map((other) => ({
        object: other.ref,
        field: `webhooks[${other.index}].name`,
        value: other.webhook,
      })),
    ]);
  },
});
