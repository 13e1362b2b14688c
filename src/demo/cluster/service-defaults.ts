import { createHash } from 'node:crypto';
import type { Service } from '../../facts/objects/service.ts';
import type { ApiObject } from '../api-server/api-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An address of the range that the real API server would choose from; the same for the same Service in every run. */
const clusterIp = ({ metadata }: ApiObject, prefix: string): string => {
  const hash = createHash('sha256').update(`${metadata.namespace}/${metadata.name}`).digest();
  return `${prefix}${((hash[0] ?? 0) % 240) + 10}`;
};

function addressesOf(object: ApiObject, spec: Service['spec']): Fields {
  if (spec.clusterIP === 'None') return { clusterIP: 'None', clusterIPs: ['None'] };
  const families = spec.ipFamilies ?? ['IPv4'];
  const addresses = families.map((family) =>
    clusterIp(object, family === 'IPv4' ? '203.0.113.' : '2001:db8:5::'),
  );
  return { clusterIP: addresses[0], clusterIPs: addresses };
}

/** pkg/apis/core/v1/defaults.go and the allocation of an address. */
export function service(object: ApiObject): ApiObject {
  const spec = object.spec as Service['spec'];
  const ports = spec.ports?.map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port }));
  const common = {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ...spec,
    ...(ports === undefined ? {} : { ports }),
  };
  if (spec.type === 'ExternalName') return { ...object, spec: common };
  return {
    ...object,
    spec: {
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: (spec.ipFamilies ?? []).length > 1 ? 'RequireDualStack' : 'SingleStack',
      ...common,
      ...addressesOf(object, spec),
    },
    status: { loadBalancer: {} },
  };
}
