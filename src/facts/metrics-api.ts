/** The group of the API with CPU and memory of Pods, which metrics-server and others serve. */
export const metricsGroup = 'metrics.k8s.io';

/** The key of a list over all namespaces, among keys that are namespaces. */
export const everywhere = '*';
