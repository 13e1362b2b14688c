/** A Pod whose ports are wanted. */
export interface PortForward {
  /** `namespace/name` */
  readonly pod: string;
  /** In the order in which they were asked for: channels 0 and 1 are the first one's. */
  readonly ports: readonly number[];
}

/** What the API server sends back: a whole answer, before compression. */
export interface ApiAnswer {
  readonly status: number;
  /** Empty: none. */
  readonly contentType: string;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sends the body bit by bit, until it is done or whoever asked has gone. */
  readonly stream?: (write: (text: string) => void, gone: AbortSignal) => Promise<void>;
  /** Of a 101: what the connection is for from now on. */
  readonly forward?: PortForward;
}

export const jsonAnswer = (status: number, body: unknown, contentType = 'application/json'): ApiAnswer => ({
  status,
  contentType,
  body: `${JSON.stringify(body)}\n`,
});

export const textAnswer = (status: number, body: string): ApiAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/** Which object a Status is about, in the API's own spelling: `kind` is the resource. */
interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly { readonly message: string }[];
}

/** A metav1.Status of a failure. Sentences below are kube-apiserver 1.35.4's, compared with it in test/contract-cluster. */
export const failure = (code: number, reason: string, message: string, details?: Details): ApiAnswer =>
  jsonAnswer(code, failureStatus(code, reason, message, details));

/** The object of {@link failure}. */
export const failureStatus = (code: number, reason: string, message: string, details?: Details) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});

export const unauthorized = (): ApiAnswer => failure(401, 'Unauthorized', 'Unauthorized');
export const badRequest = (message: string): ApiAnswer => failure(400, 'BadRequest', message);
export const resourceNotServed = (): ApiAnswer =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});
export const methodNotAllowed = (): ApiAnswer =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
export const notAcceptable = (): ApiAnswer =>
  failure(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    {},
  );
/** Something that the demo would have to make up: the request as a whole is not answered. */
export class NotSupported extends Error {}

/** What the demo does not do: it says so rather than make something up. No API server says this. */
export const notSupported = (what: string): ApiAnswer =>
  failure(501, 'NotImplemented', `not supported by the demo cluster: ${what}`);
/** What no handler knows: the text of the last handler in the chain, which is no Status. */
export const pageNotFound = (): ApiAnswer => textAnswer(404, '404 page not found\n');

/** `deployments.apps`, `pods`: how messages name a resource. */
export const qualified = (resource: { readonly group: string; readonly plural: string }): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

/** The details of a Status about an object, or about a whole collection. */
export const about = (
  resource: { readonly group: string; readonly plural: string },
  name: string | undefined,
): Details => ({
  ...(name === undefined ? {} : { name }),
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
});

export const objectNotFound = (
  resource: { readonly group: string; readonly plural: string },
  name: string,
): ApiAnswer =>
  failure(404, 'NotFound', `${qualified(resource)} ${JSON.stringify(name)} not found`, about(resource, name));
