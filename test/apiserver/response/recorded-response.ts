import type {
  EvaluatedResponse,
  RawResponse,
  ReviewContext,
} from '../../../src/apiserver/response/raw-response.ts';
import { evaluateRepeated, type RepeatedCall } from '../../../src/apiserver/response/repeated.ts';
import { evaluateResponse } from '../../../src/apiserver/response/response.ts';
import { internalError } from '../../../src/apiserver/sentences/call-sentence.ts';
import { warningHeaders } from './warning-headers.ts';

/** The response of an API server to its client. */
export interface Said {
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  readonly warnings: readonly string[];
  /** The fields that a patch may have changed in an admitted object. */
  readonly object?: unknown;
}

/** One response of a backend, and the result at a real API server. */
export interface RecordedResponse {
  readonly name: string;
  readonly asked: Pick<ReviewContext, 'webhook' | 'kind' | 'version' | 'uid'> & { readonly object?: unknown };
  readonly sent: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** Only if the body is not text. */
    readonly base64?: true;
    readonly cutShort?: true;
  };
  /** Set if the backend sends the same response to all following requests. */
  readonly call?: RepeatedCall;
  readonly said: Said;
}

interface Changeable {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly binaryData?: Readonly<Record<string, unknown>> | null;
  readonly immutable?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const entries = (map: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries((map ?? {}) as object).map(([key, value]) => [key, value ?? '']));

/** The part of a ConfigMap that the cases change; null and absent are equal. */
export function changeable(object: unknown): object {
  const { data, binaryData, immutable, metadata = {} } = object as Changeable;
  return {
    data: entries(data),
    binaryData: entries(binaryData),
    immutable: immutable ?? false,
    labels: entries(metadata.labels),
    annotations: entries(metadata.annotations),
    finalizers: metadata.finalizers ?? [],
  };
}

/** The result of the model. */
function evaluated({ asked, sent, call }: RecordedResponse, server: string): EvaluatedResponse {
  const answer: RawResponse = {
    status: sent.status,
    headers: sent.headers,
    body: Buffer.from(sent.body, sent.base64 ? 'base64' : 'utf8'),
    ...(sent.cutShort ? { cutShort: true } : {}),
  };
  const whom = { ...asked, server };
  return call === undefined ? evaluateResponse(answer, whom) : evaluateRepeated(answer, whom, call);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  422: 'Invalid',
  500: 'InternalError',
  504: 'Timeout',
};

/** What a client sees of an API server whose handler panicked. */
export const brokenOff: Said = { code: 0, message: 'the connection was closed', reason: '', warnings: [] };

/** The expected response to the client; `beginning`: only the beginning of the message is known. */
function foretold(model: EvaluatedResponse): Partial<Said> & { readonly beginning?: string } {
  switch (model.outcome) {
    case 'allowed':
      return {
        warnings: warningHeaders(model.warnings),
        message: '',
        ...(model.patched === undefined ? {} : { object: changeable(model.patched) }),
      };
    case 'denied': {
      const { code, reason, message, warnings } = model;
      return { code, reason, message, warnings: warningHeaders(warnings) };
    }
    case 'call-failure':
    case 'api-server-error': {
      const text = model.outcome === 'call-failure' ? internalError(model.text) : model.text;
      const code = model.outcome === 'api-server-error' ? (model.code ?? 500) : 500;
      const said = { code, reason: reasons[code] ?? '' };
      return model.complete ? { ...said, message: text } : { ...said, beginning: text };
    }
    default:
      return {
        message: model.why.includes('aborts the request') ? brokenOff.message : `unknown: ${model.why}`,
      };
  }
}

/** Two values to compare; they are equal if the model agrees. */
export function compared(recorded: RecordedResponse, server: string): { model: object; real: object } {
  const { said } = recorded;
  const { beginning, ...model } = foretold(evaluated(recorded, server));
  const real = Object.fromEntries(
    Object.keys(model).map((key) => [key, said[key as keyof Said] ?? 'nothing']),
  );
  if (beginning === undefined) return { model, real };
  const begins = said.message.slice(0, beginning.length);
  return { model: { ...model, begins: beginning }, real: { ...real, begins } };
}
