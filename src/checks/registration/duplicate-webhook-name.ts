import { defineCheck } from '../check.ts';
import { configurationsOf, duplicates } from './duplicates.ts';

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
  run({ callout, others }, _facts, find) {
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
