import type { MatchFacts } from '../../../src/apiserver/admission/match.ts';
import { evaluateResponse } from '../../../src/apiserver/response/response.ts';
import { admissionReview } from '../../../src/apiserver/sample/review-body.ts';
import type { TraceCall } from '../../../src/apiserver/trace/trace-call.ts';
import { type Trace, traceRequest } from '../../../src/apiserver/trace/trace-request.ts';
import { type AdmissionCallout, isAdmission } from '../../../src/facts/callout.ts';
import { admissionCallouts } from '../../../src/facts/callout-of.ts';
import { lookup } from '../../../src/facts/lookup.ts';
import {
  configurations,
  group,
  namespaces,
  requests,
  scripted,
  type TracedRequest,
} from '../../e2e/trace-cases.ts';
import { namespace } from '../../support/snapshot.ts';
import { recordsOf } from '../admission/call-records.ts';

/** The result of a traced request at a real API server. */
export interface RecordedTrace {
  readonly name: string;
  /** Empty: admitted. */
  readonly message: string;
  /** Annotations about webhooks in the audit log. */
  readonly audit: Readonly<Record<string, string>>;
  /** Labels, annotations and data of the returned object. */
  readonly object?: unknown;
}

/** The fields that are recorded of all requests. */
export const everyFourth = 4;

const callouts: readonly AdmissionCallout[] = configurations('https://127.0.0.1:1', '').flatMap((raw) =>
  admissionCallouts(
    raw.kind === 'MutatingWebhookConfiguration' ? 'mutating' : 'validating',
    raw as unknown as Parameters<typeof admissionCallouts>[1],
  ),
);

const served = (version: string, resource: string, kind: string, of: string) => ({
  group: of,
  version,
  resource,
  kind,
  singular: kind.toLowerCase(),
  namespaced: true,
  verbs: ['create', 'get', 'list', 'update', 'patch', 'delete'],
});

const allKnown = <T>(entries: Readonly<Record<string, T>>) =>
  lookup(new Map(Object.entries(entries)), { others: undefined });

const factsOf = (version: string): MatchFacts => ({
  version,
  namespaces: allKnown(
    Object.fromEntries(
      namespaces.map((name, index) => [name, namespace(name, index === 0 ? { team: 'a' } : {})]),
    ),
  ),
  served: allKnown({
    served: {
      stale: [],
      resources: [
        served('v1', 'configmaps', 'ConfigMap', ''),
        served('v1', 'widgets', 'Widget', group),
        served('v1beta1', 'widgets', 'Widget', group),
      ],
    },
  }),
});

/** The response of the script, interpreted as by an API server of this version. */
function answered(call: TraceCall, server: string) {
  if (call.phase === 'conversion') throw new Error('no conversion webhook is registered');
  const { callout, request } = call;
  const uid = '6f0fd7cb-1b1c-4d5e-9d0c-1c2b8e1fd0a1';
  const { object, oldObject } = request;
  // The posted review is the input of the script.
  const { request: sent } = admissionReview(request, 'v1', uid) as {
    readonly request: Parameters<typeof scripted>[1];
  };
  const { status, body } = scripted(callout.webhook.replace('.example.com', ''), {
    ...sent,
    object: object ?? undefined,
    oldObject: oldObject ?? undefined,
  });
  const answer = { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  const asked = { webhook: callout.webhook, kind: callout.kind, version: 'v1', uid, object, server } as const;
  return { end: evaluateResponse(answer, asked), seconds: 0 };
}

/** The trace of the model. */
export function traced({ request }: TracedRequest, version: string): Trace {
  const tracing = traceRequest(request, callouts, factsOf(version));
  for (let next = tracing.next(); ; ) {
    if (next.done === true) return next.value;
    next = tracing.next(next.value.map((call) => answered(call, version)));
  }
}

/** The expected audit annotations of a trace. */
function auditOf({ steps }: Trace, operation: TracedRequest['request']['operation']) {
  const called = steps.filter(({ called: was }) => was);
  const validating = called.filter(({ phase }) => phase === 'validating');
  return Object.fromEntries(
    called.flatMap((step) => {
      const { callout, phase, round, index, end, patch } = step;
      if (end === undefined || !isAdmission(callout)) return [];
      const place = { round, index: phase === 'mutating' ? index : validating.indexOf(step) };
      const { audit } = recordsOf(end, callout, place, operation);
      const { configuration, webhook } = callout;
      const patched =
        patch === undefined
          ? []
          : [
              [
                `patch.webhook.admission.k8s.io/round_${round}_index_${index}`,
                { configuration, webhook, patch, patchType: 'JSONPatch' },
              ] as const,
            ];
      return [...Object.entries(audit).map(([key, value]) => [key, plain(value)] as const), ...patched];
    }),
  );
}

/** Parses JSON, whose members have no order; other text is unchanged. */
function plain(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The part of an object that webhooks changed. */
export const changedIn = (object: unknown): unknown => {
  const { metadata = {}, data } = (object ?? {}) as {
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly data?: unknown;
  };
  const { labels = {}, annotations = {} } = metadata;
  return { labels, annotations, data: data ?? {} };
};

/** The results of the model and of the API server, to compare. */
export function compared(index: number, recorded: RecordedTrace, version: string) {
  const asked = requests[index];
  if (asked === undefined) throw new Error('no such request');
  const trace = traced(asked, version);
  const admitted = trace.result === 'admitted';
  const named = trace.messages.includes(recorded.message) ? recorded.message : trace.messages.join(' or ');
  return {
    model: {
      result: admitted ? 'admitted' : trace.result === 'unknown' ? 'unknown' : 'refused',
      message: named,
      audit: auditOf(trace, asked.request.operation),
      ...(admitted && asked.object ? { object: changedIn(trace.object) } : {}),
    },
    real: {
      result: recorded.message === '' ? 'admitted' : 'refused',
      message: recorded.message,
      audit: Object.fromEntries(Object.entries(recorded.audit).map(([key, value]) => [key, plain(value)])),
      ...(recorded.object === undefined ? {} : { object: recorded.object }),
    },
  };
}
