import type { AdmissionCallout } from '../../../facts/callout.ts';
import { parseCallError } from './parse-call-error.ts';

/** The webhook, of those given, that a text names as the one whose call failed; undefined for a denial. */
export function namedWebhook(
  text: string,
  webhooks: readonly AdmissionCallout[],
): AdmissionCallout | undefined {
  const error = parseCallError(text);
  if (error?.kind !== 'call-failure') return undefined;
  return webhooks.find(({ webhook, client }) =>
    error.webhook === undefined
      ? error.service !== undefined &&
        error.service.name === client.service?.name &&
        error.service.namespace === client.service.namespace
      : error.webhook === webhook,
  );
}
