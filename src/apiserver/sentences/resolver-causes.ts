import { ends, noEndpoint } from './cause-pattern.ts';

/** The Service resolver's words: apiserver/pkg/util/proxy/proxy.go and client-go's listers. */
export const resolverCauses = [
  // service "policy" not found
  ends('service-missing', /\bservice "?(?<service>[a-z0-9.-]+)"? not found/, [
    'service-missing',
    'service-namespace-missing',
    'orphaned-configuration',
  ]),
  // no service port 443 found for service "policy"
  ends('port-missing', /no service port (?<port>\d+) found for service "?(?<service>[a-z0-9.-]+)"?/, [
    'service-port-missing',
  ]),
  // no endpoints available for service "policy"
  ends('no-endpoints', /no endpoints available for service "?(?<service>[a-z0-9.:-]+)"?/, noEndpoint),
  // Up to 1.33: endpoints "policy" not found
  ends('no-endpoints', /\bendpoints "?(?<service>[a-z0-9.-]+)"? not found/, noEndpoint),
  // cannot route to service with ClusterIP "None"
  ends('headless', /cannot route to service with ClusterIP "?None"?/, ['service-headless']),
  // unsupported service type "ExternalName"
  ends('external-name', /unsupported service type "?\w+"?/, ['service-external-name']),
] as const;
