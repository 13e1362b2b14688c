import type { AggregatedApiCallout, Callout } from './callout.ts';

/** The API group for CPU and memory usage of Pods, served by metrics-server and others. */
export const metricsGroup = 'metrics.k8s.io';

/** The key for a list over all namespaces; the other keys are namespaces. */
export const everywhere = '*';

/** The metrics APIs: as the errors of autoscalers name them, and the types of metrics that are read from each. */
export const metricsApis = [
  { group: metricsGroup, name: 'resource', types: ['Resource', 'ContainerResource'] },
  { group: 'custom.metrics.k8s.io', name: 'custom', types: ['Pods', 'Object'] },
  { group: 'external.metrics.k8s.io', name: 'external', types: ['External'] },
] as const;

/** True for an APIService from which autoscalers read metrics. */
export const isMetricsApi = (callout: Callout): callout is AggregatedApiCallout =>
  callout.kind === 'aggregated-api' && metricsApis.some(({ group }) => group === callout.group);
