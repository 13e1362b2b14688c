import type { Edit } from '../change/plan.ts';
import type { AdmissionCallout, Callout } from '../facts/callout.ts';

/** JSON Pointer of a callout's `clientConfig`; an APIService has its parts in `spec` itself. */
function clientConfigPath(callout: Callout): string {
  switch (callout.kind) {
    case 'conversion':
      return '/spec/conversion/webhook/clientConfig';
    case 'aggregated-api':
      return '/spec';
    default:
      return `/webhooks/${callout.index}/clientConfig`;
  }
}

/** An edit of one field of the client configuration: `caBundle`, `service/port`. */
export const clientConfigEdit = (
  callout: Callout,
  field: 'caBundle' | 'service/port',
  expected: unknown,
  after: unknown,
): Edit => ({
  object: callout.ref,
  operation: 'patch',
  path: `${clientConfigPath(callout)}/${field}`,
  expected,
  after,
});

/** An edit of one field of an admission webhook, from what was seen there. */
export const webhookEdit = <Field extends 'failurePolicy' | 'namespaceSelector' | 'timeoutSeconds'>(
  callout: AdmissionCallout,
  field: Field,
  after: AdmissionCallout[Field],
): Edit => ({
  object: callout.ref,
  operation: 'patch',
  path: `/webhooks/${callout.index}/${field}`,
  expected: callout[field],
  after,
});
