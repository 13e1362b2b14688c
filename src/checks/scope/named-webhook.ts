import { parseCallError } from '../../apiserver/call-error/parse-call-error.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { brief } from '../brief.ts';

/** The webhook, of those given, that a text names as the one that could not be called. A denial names none. */
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

/** Why the call failed, without whom it was for: `dial tcp 203.0.113.10:443: connect: connection refused`. */
export const lastWords = (text: string): string => parseCallError(text)?.cause?.text ?? brief(text);
