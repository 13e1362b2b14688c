import { ends } from './cause-pattern.ts';

/** The Service resolver's words: apiserver/pkg/util/proxy/proxy.go and client-go's listers. */
export const resolverCauses = [
  // service "policy" not found
  ends('service-missing', /\bservice "?(?<service>[a-z0-9.-]+)"? not found/),
  // no service port 443 found for service "policy"
  ends('port-missing', /no service port (?<port>\d+) found for service "?(?<service>[a-z0-9.-]+)"?/),
  // no service port 'ƻ' found for service "policy": before 1.20 the number is printed as a character
  ends(
    'port-missing',
    /no service port '(?<portCharacter>.)' found for service "?(?<service>[a-z0-9.-]+)"?/u,
  ),
  // no endpoints available for service "policy"
  ends('no-endpoints', /no endpoints available for service "?(?<service>[a-z0-9.:-]+)"?/),
  // Up to 1.33: endpoints "policy" not found
  ends('no-endpoints', /\bendpoints "?(?<service>[a-z0-9.-]+)"? not found/),
  // cannot route to service with ClusterIP "None"
  ends('headless', /cannot route to service with ClusterIP "?None"?/),
  // unsupported service type "ExternalName"
  ends('external-name', /unsupported service type "?\w+"?/),
] as const;
