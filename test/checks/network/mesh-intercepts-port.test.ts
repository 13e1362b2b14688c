import { meshInterceptsPort } from '../../../src/checks/network/mesh-intercepts-port.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, blind, http, proxySays, quiet, replica, tried } from '../probed.ts';

const inMesh = (number: number) =>
  replica(number, { spec: { containers: [{ name: 'webhook' }, { name: 'istio-proxy' }] } });
const cut = {
  ...allows,
  proxy: proxySays('read tcp 192.0.2.1:40112->198.51.100.11:8443: read: connection reset by peer'),
};

describeCheck(meshInterceptsPort, {
  reports: [
    {
      name: 'a sidecar that resets what the control plane opens',
      facts: tried([cut], { pods: [inMesh(1)] }),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'one Pod of two in the mesh',
      facts: tried([allows, cut], { pods: [replica(1), inMesh(2)] }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a refusal by the rules of the mesh',
      facts: tried([http(403, 'RBAC: access denied')], { pods: [inMesh(1)] }),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'there is no sidecar', facts: tried([cut]), outcome: 'pass' },
    { name: 'the sidecar lets it through', facts: tried([allows], { pods: [inMesh(1)] }), outcome: 'pass' },
  ],
  isUnknown: blind,
});
