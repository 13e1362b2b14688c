import { closedApi } from '../../apiserver/aggregation/closed-api.ts';
import { secondsSince } from '../../basics/time.ts';
import { type AggregatedApiCallout, serviceKeyOf } from '../../facts/callout.ts';
import { everywhere, isMetricsApi, metricsApis } from '../../facts/metrics-api.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import type { Autoscaler } from '../../facts/objects/scaling.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logEvidence } from '../../facts/workloads/pod-logs.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { agreeing, namedList } from '../../phrases/lists.ts';
import { failedRequest } from '../../pods/failed-request.ts';
import { defineCheck, type Messages, partial } from '../check.ts';

const shown = 2;

/** Errors of the API, not of one metric: its source does not exist, or does not respond to the backend. */
const isOfApi =
  /in the time allotted|deadline ?exceeded|stream error|code = Unavailable|connection (?:refused|reset)|no route to host|unexpected EOF|x509: |is forbidden: User /i;

/** 503, by the API server while the APIService is not Available, or by its backend. */
const isUnavailable = /currently unable to handle the request/;
/** 404 of one metric: the adapter does not have it (custom-metrics-apiserver pkg/provider/errors.go). */
const isUnknownMetric = /could not find the (?:metric|requested resource)\b/;

/** Seconds in which an autoscaler has read its metrics again (kube-controller-manager's default is 15). */
const readAgain = 60;

/** True if the APIService has been Available since before the autoscalers last read their metrics. */
const isAvailable = ({ conditions }: Pick<AggregatedApiCallout, 'conditions'>, takenAt: string): boolean => {
  const { status, lastTransitionTime } = conditions.find(({ type }) => type === 'Available') ?? {};
  return status === 'True' && (secondsSince(lastTransitionTime, takenAt) ?? 0) > readAgain;
};

/** The HPA controller's error (podautoscaler/metrics/client.go), and the API server's if it has no permission. */
const failed = /unable to fetch metrics from (\w+) metrics API: (.+)$/s;
const forbidden =
  /is forbidden: User [\\"]+system:serviceaccount:([^:"]+):([^"\\]+)[\\"]+ cannot (\w+) resource [\\"]+([^"\\]+)/;

const message = ({ status }: Autoscaler): string =>
  status?.conditions?.find((one) => one.type === 'ScalingActive' && one.status === 'False')?.message ?? '';

/** The error of an autoscaler that scales on no metric, if the API with this name returned it. */
const errorFrom = (autoscaler: Autoscaler, api: string): string | undefined => {
  const [, name, detail] = failed.exec(message(autoscaler)) ?? [];
  return name === api ? detail : undefined;
};

/** The namespace of a Service with this host; undefined if it may be a server outside the cluster. */
const namespaceOf = (host: string, own: string | undefined): string | undefined =>
  /^[a-z][\w-]*(?::\d+)?$/.test(host) ? own : /^[\w-]+\.([\w-]+)\.svc\b/.exec(host)?.[1];

const failedRequestText =
  '{autoscalersGet} no metrics: the log of Pod {pod} reports a failed request to {host}: {detail}';

const advice =
  '[look] Read the log of the backend: `kubectl -n {namespace} logs {backend}`. [look] Check the server from which the backend reads the metrics.';

const messages = {
  all: partial('{autoscalersGet} no metrics from this API: {detail}'),
  upstream: partial(
    failedRequestText,
    '[look] Find out why that server does not respond: `kubectl -n {place} get pods,endpointslices`. [look] Read the log: `kubectl -n {namespace} logs {pod}`.',
  ),
  outside: partial(
    failedRequestText,
    '[look] Find out why that server does not respond, or whether an egress rule blocks it. [look] Read the log: `kubectl -n {namespace} logs {pod}`.',
  ),
  // An adapter reads only the metrics of its own installation.
  elsewhere: partial(
    '{autoscalersGet} no metrics: this APIService calls Service {service}, not Service {twin}',
    '[look] Compare the namespaces of the adapters with that of the APIService: `kubectl get apiservice {configuration} -o yaml`. [with] A cluster has one APIService for each version of an API, so each installation overwrites that of the other. [end] Let one adapter read the metrics of all namespaces, and disable the other in the settings of its installation.',
  ),
  forbidden: partial(
    '{autoscalersGet} no metrics: ServiceAccount {account} cannot {verb} {denied}',
    '[end] Create the ClusterRole and ClusterRoleBinding of the product again. [look] List the permissions of the ServiceAccount: `kubectl auth can-i --list --as={user}`.',
  ),
} as const satisfies Messages;

const requires = ['callouts', 'autoscalers', 'pods', 'logs', 'services'] as const;

type MetricsApi = (typeof metricsApis)[number];

const autoscalersWith = (
  { types }: MetricsApi,
  { autoscalers }: Pick<Facts, 'autoscalers'>,
): readonly Autoscaler[] =>
  (autoscalers.get(everywhere) ?? []).filter(({ spec: { metrics } }) =>
    (metrics ?? []).some(({ type }) => types.some((own) => own === type)),
  );

/**
 * The autoscalers of a namespace that has a Service with the name of the backend, if none of them gets metrics from the
 * backend in another namespace: two installations have written the same APIService.
 */
function failingElsewhere(
  api: MetricsApi,
  { client: { service } }: AggregatedApiCallout,
  facts: Pick<Facts, 'autoscalers' | 'services'>,
) {
  const twins = facts.services
    .all()
    .filter(({ metadata }) => metadata.name === service?.name && metadata.namespace !== service?.namespace);
  for (const { metadata } of twins) {
    const inPlace = autoscalersWith(api, facts).filter(
      (one) => one.metadata.namespace === metadata.namespace,
    );
    const failing = inPlace.flatMap((one) => {
      const error = errorFrom(one, api.name) ?? '';
      return isUnknownMetric.test(error) ? [{ one, error }] : [];
    });
    if (failing.length > 0 && failing.length === inPlace.length) return { twin: keyOf(metadata), failing };
  }
  return undefined;
}

/** The autoscalers that use an API, with the error of each, if none of them gets metrics. */
function failingWith(
  api: MetricsApi,
  callout: AggregatedApiCallout,
  { autoscalers, takenAt }: Pick<Facts, 'autoscalers' | 'takenAt'>,
) {
  const { name } = api;
  const using = autoscalersWith(api, { autoscalers });
  const failing = using.flatMap((one) => {
    const error = errorFrom(one, name) ?? '';
    const isFault = isOfApi.test(error) || (isUnavailable.test(error) && isAvailable(callout, takenAt));
    return isFault ? [{ one, error }] : [];
  });
  // If the others get metrics, the API works, and the fault is in the metric of one autoscaler.
  return failing.length < using.length ? [] : failing;
}

export const autoscalersGetNoMetrics = defineCheck({
  meta: {
    id: 'autoscalers-get-no-metrics',
    title: 'Autoscalers get no metrics from this API',
    severity: 'warning',
    confidence: 'observed',
    why: 'The availability check of an APIService does not cover the servers from which its backend reads metrics. Without metrics, a HorizontalPodAutoscaler keeps the present number of replicas.',
    advice,
    noRemedy: { because: 'the server from which the backend reads metrics must be fixed' },
    messages,
    follows: 'every-break',
    references: ['/docs/tasks/run-application/horizontal-pod-autoscale/#support-for-metrics-apis'],
  },
  requires,
  subjects: ({ callouts }) => callouts.filter(isMetricsApi),
  run(callout, facts, find) {
    const api = metricsApis.find(({ group }) => group === callout.group);
    if (api === undefined || closedApi(callout) !== undefined) return undefined;
    const elsewhere = failingElsewhere(api, callout, facts);
    const failing = elsewhere?.failing ?? failingWith(api, callout, facts);
    const [first] = failing;
    if (first === undefined) return undefined;
    const names = failing.map(({ one: { metadata } }) => keyOf(metadata));
    const evidence = failing.slice(0, shown).map(({ one, error }) => ({
      object: refOf('HorizontalPodAutoscaler', one.metadata),
      field: 'status.conditions[type=ScalingActive].message',
      value: error,
    }));
    const autoscalersGet = `${namedList('HorizontalPodAutoscaler', names, shown)} ${agreeing(names.length, 'gets', 'get')}`;
    if (elsewhere !== undefined) {
      const service = serviceKeyOf(callout) ?? '';
      return find('elsewhere', { autoscalersGet, service, twin: elsewhere.twin }, evidence);
    }
    const [, namespace, name, verb = '', denied = ''] = forbidden.exec(first.error) ?? [];
    if (namespace !== undefined)
      return find('forbidden', { autoscalersGet, account: `${namespace}/${name}`, verb, denied }, evidence, {
        user: `system:serviceaccount:${namespace}:${name}`,
      });
    const request = failedRequest(knownPods(callout, facts), facts);
    if (request === undefined) return find('all', { autoscalersGet, detail: brief(first.error) }, evidence);
    const { pod, container, line, error } = request;
    const { name: own, namespace: around } = pod.metadata;
    const place = namespaceOf(error.host, around);
    return find(
      place === undefined ? 'outside' : 'upstream',
      { autoscalersGet, pod: own, host: error.host, detail: brief(error.detail) },
      [...evidence, logEvidence(refOfPod(pod), container, line)],
      { pod: own, place },
    );
  },
});
