/** The API group for CPU and memory usage of Pods, served by metrics-server and others. */
export const metricsGroup = 'metrics.k8s.io';

/** The key for a list over all namespaces; the other keys are namespaces. */
export const everywhere = '*';
