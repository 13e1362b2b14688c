import type { ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Service } from '../../facts/objects/service.ts';
import { serviceBehind, serviceEdit, whoReverts } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';

/** A setting of a Service, its present value, and the one with which the API server's calls arrive. */
interface Setting {
  readonly name: string;
  /** Below `spec`, as a JSON Pointer. */
  readonly field: string;
  readonly before: unknown;
  readonly after?: unknown;
  /** What clients of the Service notice. */
  readonly warning: string;
}

/** The setting that a check reports, by the id of the check. */
const settings: Readonly<Record<string, (service: Service, callout: ServiceBacked) => Setting | undefined>> =
  {
    'internal-traffic-policy-local': ({ spec: { internalTrafficPolicy } }) => ({
      name: 'internalTrafficPolicy',
      field: 'internalTrafficPolicy',
      before: internalTrafficPolicy,
      after: 'Cluster',
      warning: 'Clients inside the cluster then also reach Pods on other nodes.',
    }),
    'unready-addresses-published': ({ spec: { publishNotReadyAddresses } }) => ({
      name: 'publishNotReadyAddresses',
      field: 'publishNotReadyAddresses',
      before: publishNotReadyAddresses,
      warning: 'Pods that are not Ready are then found neither through the Service nor by its DNS name.',
    }),
    'service-not-proxied': ({ spec: { ports = [] } }, { client }) => {
      const offered = ports.filter(({ port }) => port === client.service.port);
      const [only] = offered;
      if (only === undefined || offered.length > 1 || (only.protocol ?? 'TCP') === 'TCP') return undefined;
      return {
        name: `The protocol of port ${only.port}`,
        field: `ports/${ports.indexOf(only)}/protocol`,
        before: only.protocol,
        after: 'TCP',
        warning: `Clients of the Service then reach port ${only.port} over TCP, no longer over ${only.protocol}.`,
      };
    },
  };

export const fixServiceSettings = defineRemedy({
  meta: {
    id: 'fix-service-settings',
    title: 'Correct a setting of the Service',
    risk: 'careful',
    does: 'Sets `internalTrafficPolicy` of the Service to Cluster, removes `publishNotReadyAddresses`, or sets the protocol of the port to TCP.',
    leaves: 'The Pods: only a call shows whether they respond.',
    answers: Object.keys(settings),
    touches: [{ operation: 'patch', kinds: ['Service'] }],
  },
  about: 'service-backed',
  requires: ['services'],
  plan({ check, callout, breaks }, facts) {
    const service = serviceBehind(callout, facts);
    const setting = service && settings[check]?.(service, callout);
    if (service === undefined || setting === undefined) return undefined;
    const { name, field, before, after, warning } = setting;
    if (before === undefined || before === after) return undefined;
    const result = after === undefined ? 'is removed' : `is ${after} instead of ${before}`;
    return {
      summary: `${name} of Service ${keyOf(service.metadata)} ${result}`,
      edits: [serviceEdit(service, field, before, after)],
      warnings: [warning, ...whoReverts(service.metadata)],
      unsure: breaks === true ? undefined : 'it is unknown whether calls fail',
    };
  },
});
