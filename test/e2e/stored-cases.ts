import { randomUUID } from 'node:crypto';
import { consequenceOf } from '../../src/apiserver/admission/failure-policy.ts';
import { reviewToSend } from '../../src/apiserver/admission/review.ts';
import { callSentence } from '../../src/apiserver/sentences/call-sentence.ts';
import type { AdmissionCallout } from '../../src/facts/callout.ts';
import type { KubeObject } from '../cluster/client.ts';
import { rule } from './matching-cases.ts';

/** Webhooks that validation refuses today, and that older API servers have stored. */
const fromLongAgo: readonly (readonly [string, object])[] = [
  ['side effects', { sideEffects: 'Some' }],
  ['side effects that nobody told', { sideEffects: 'Unknown' }],
  ['no side effects on dry runs', { sideEffects: 'NoneOnDryRun' }],
  ['nothing said of side effects', { sideEffects: undefined }],
  ['no version of a review that is known', { admissionReviewVersions: ['v2', 'v1alpha1'] }],
  ['an unknown version before a known one', { admissionReviewVersions: ['v2', 'v1beta1'] }],
  ['side effects, and no version', { sideEffects: 'Some', admissionReviewVersions: ['v2'] }],
  ['nothing said, and no version', { sideEffects: undefined, admissionReviewVersions: [] }],
  ['a URL without TLS', { clientConfig: { url: 'http://127.0.0.1:1/stored' } }],
  ['a URL with a query', { clientConfig: { url: 'https://127.0.0.1:1/stored?a=b#c' } }],
  ['a URL with a user', { clientConfig: { url: 'https://me:secret@127.0.0.1:1/stored' } }],
];
export const asStored = fromLongAgo.flatMap(([has, over]) =>
  (['Fail', 'Ignore'] as const).flatMap((failurePolicy) =>
    (['validating', 'mutating'] as const).map((kind) => ({ has, over, failurePolicy, kind })),
  ),
);
type AsStored = (typeof asStored)[number];

/** The name of a case. */
export const storedName = ({ has, failurePolicy, kind }: AsStored): string =>
  `${kind}, ${failurePolicy}: ${has}`;

export const storedConfiguration = ({ over, failurePolicy, kind }: AsStored, index: number): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
  metadata: { name: `stored-${index}`, uid: randomUUID(), creationTimestamp: '2019-06-01T12:00:00Z' },
  webhooks: [
    {
      name: `stored-${index}.example.com`,
      clientConfig: { url: 'https://127.0.0.1:1/stored' },
      rules: [rule(['configmaps'], [''], ['v1'], ['CREATE'])],
      objectSelector: { matchLabels: { case: `stored-${index}` } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 5,
      ...over,
      failurePolicy,
    },
  ],
});

/** The prediction for a dry run that such a webhook matches: `admitted`, or the status and the message. */
export function foretoldDryRun(callout: AdmissionCallout, version: string | undefined): string {
  const toSend = reviewToSend(callout, { dryRun: true });
  const refused = 'dial tcp 127.0.0.1:1: connect: connection refused';
  const text = callSentence(callout, refused, version);
  const end = 'end' in toSend ? toSend.end : ({ outcome: 'call-failure', text, code: 503 } as const);
  const { answer } = consequenceOf(end, callout);
  return answer === undefined ? 'admitted' : `${answer.code} ${answer.message}`;
}
