/** A Pod with the ports to forward. */
export interface PortForward {
  /** `namespace/name` */
  readonly pod: string;
  /** In the order of the request: channels 0 and 1 belong to the first port. */
  readonly ports: readonly number[];
}

/** A complete response of the API server, before compression. */
export interface ApiAnswer {
  readonly status: number;
  /** Empty: none. */
  readonly contentType: string;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Streams the body until it is complete or the client disconnects. */
  readonly stream?: (write: (text: string) => void, gone: AbortSignal) => Promise<void>;
  /** For a 101: how the connection is used afterwards. */
  readonly forward?: PortForward;
}

/** A response whose body is JSON. */
export const jsonAnswer = (status: number, body: unknown, contentType = 'application/json'): ApiAnswer => ({
  status,
  contentType,
  body: `${JSON.stringify(body)}\n`,
});

/** A response whose body is plain text. */
export const textAnswer = (status: number, body: string): ApiAnswer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/** The object that a Status is about, with the API's field names: `kind` is the resource. */
interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly { readonly message: string }[];
}

/** A metav1.Status of a failure, with messages of kube-apiserver 1.35.4 (test/contract-cluster). */
export const failureAnswer = (code: number, reason: string, message: string, details?: Details): ApiAnswer =>
  jsonAnswer(code, failureStatus(code, reason, message, details));

/** The object of {@link failureAnswer}. `reason`: may be empty. */
export const failureStatus = (code: number, reason: string, message: string, details?: Details) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason === '' ? {} : { reason }),
  ...(details === undefined ? {} : { details }),
  code,
});

/** 401: the credentials are not accepted. */
export const unauthorized = (): ApiAnswer => failureAnswer(401, 'Unauthorized', 'Unauthorized');
/** 400, with the API server's message. */
export const badRequest = (message: string): ApiAnswer => failureAnswer(400, 'BadRequest', message);
/** 404 for a built-in group that does not have the resource or the version. */
export const resourceNotServed = (): ApiAnswer =>
  failureAnswer(404, 'NotFound', 'the server could not find the requested resource', {});
/** 405: the resource does not have the verb. */
export const methodNotAllowed = (): ApiAnswer =>
  failureAnswer(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
/** 422: a patch that cannot be applied. The error of the JSON Patch library is in the server's log only. */
export const unprocessable = (): ApiAnswer =>
  failureAnswer(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** 406: the client accepts none of the formats. */
export const notAcceptable = (): ApiAnswer =>
  failureAnswer(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    {},
  );
/** Ends a request early, with this response. */
export class Refused extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(answer.body);
    this.answer = answer;
  }
}

/** Ends a request that the demo does not implement. A real API server never sends this response. */
export class NotSupported extends Refused {
  constructor(what: string) {
    super(failureAnswer(501, 'NotImplemented', `not supported by the demo cluster: ${what}`));
  }
}
/** The plain-text 404 of the last handler in the chain, which is not a Status. */
export const pageNotFound = (): ApiAnswer => textAnswer(404, '404 page not found\n');

/** `deployments.apps`, `pods`: a resource as in error messages. */
export const qualified = (resource: { readonly group: string; readonly plural: string }): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

/** The details of a Status about an object, or about a collection. */
export const about = (
  resource: { readonly group: string; readonly plural: string },
  name: string | undefined,
): Details => ({
  ...(name === undefined ? {} : { name }),
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
});

/** 404 for an object of a served resource. */
export const objectNotFound = (
  resource: { readonly group: string; readonly plural: string },
  name: string,
): ApiAnswer =>
  failureAnswer(
    404,
    'NotFound',
    `${qualified(resource)} ${JSON.stringify(name)} not found`,
    about(resource, name),
  );
