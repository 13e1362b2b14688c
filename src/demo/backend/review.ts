import { parsedJson } from '../../basics/collections.ts';
import type { BackendOptions } from './options.ts';

/** Status code, headers and body of a response. */
export interface DemoHttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Review {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly request?: {
    readonly uid?: string;
    readonly object?: { readonly metadata?: { readonly labels?: object } };
    readonly desiredAPIVersion?: string;
    readonly objects?: readonly object[];
  };
}

/** The response to an AdmissionReview (v1 and v1beta1) or a ConversionReview, according to the options. */
export function answerReview(text: string, options: BackendOptions): DemoHttpAnswer {
  const { answer = 'allow' } = options;
  if (answer === 'raw') {
    const body = options.body ?? '';
    const uid = body.includes('$uid') ? parse(text)?.request?.uid : undefined;
    return plainAnswer(options.status ?? 200, uid === undefined ? body : body.replace('$uid', uid));
  }
  if (answer === 'empty') return plainAnswer(200, '');
  if (answer === 'not-json') return plainAnswer(200, '<html><body>welcome</body></html>');
  if (answer === 'redirect') {
    return { status: 302, headers: { location: 'https://localhost/elsewhere' }, body: '' };
  }
  const review = parse(text);
  if (review?.request === undefined) return plainAnswer(400, 'not a review');
  const kind = answer === 'wrong-kind' ? 'Status' : review.kind;
  const uid = answer === 'wrong-uid' ? '00000000-0000-0000-0000-000000000000' : review.request.uid;
  const head = { apiVersion: review.apiVersion, kind };
  if (answer === 'no-response') return json(head);
  const response =
    review.kind === 'ConversionReview' ? converted(review, options) : admitted(review, options);
  return json({ ...head, response: { uid, ...response } });
}

/** The response of a webhook that denies objects without tenant, and tenants only the leader knows. */
export function tenantAnswer(text: string, leader: boolean): Pick<BackendOptions, 'answer' | 'message'> {
  const labels = parse(text)?.request?.object?.metadata?.labels as Record<string, string> | undefined;
  const tenant = labels?.['example.com/tenant'];
  if (tenant === undefined) return { answer: 'deny', message: 'the label example.com/tenant is required' };
  return leader ? {} : { answer: 'deny', message: `tenant "${tenant}" is not known` };
}

function admitted(review: Review, options: BackendOptions): object {
  if (options.answer === 'deny') {
    return { allowed: false, status: { code: 403, message: options.message ?? 'not on my watch' } };
  }
  if (options.answer !== 'patch') return { allowed: true };
  const labels = review.request?.object?.metadata?.labels;
  const patch = options.patch ?? [
    ...(labels ? [] : [{ op: 'add', path: '/metadata/labels', value: {} }]),
    { op: 'add', path: '/metadata/labels/patched-by-webhook', value: 'true' },
  ];
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };
}

function converted(review: Review, options: BackendOptions): object {
  if (options.answer === 'deny') {
    return { result: { status: 'Failed', message: options.message ?? 'cannot convert that' } };
  }
  const apiVersion = review.request?.desiredAPIVersion;
  const convertedObjects = (review.request?.objects ?? []).map((object) => ({ ...object, apiVersion }));
  return { result: { status: 'Success' }, convertedObjects };
}

const parse = (text: string): Review | undefined => parsedJson(text) as Review | undefined;

/** A response whose body is JSON. */
export function json(value: unknown): DemoHttpAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** A response whose body is plain text. */
export function plainAnswer(status: number, body: string): DemoHttpAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}
