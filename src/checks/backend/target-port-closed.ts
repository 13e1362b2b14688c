import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { configuredPorts } from '../../facts/workloads/pod-ports.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { isWrongPort, otherPorts, podByName } from '../../pods/listening.ts';
import { defineCheck, partial } from '../check.ts';

export const targetPortClosed = defineCheck({
  meta: {
    id: 'target-port-closed',
    title: 'targetPort of the Service is closed',
    consequence: 'failing',
    confidence: 'observed',
    why: 'A targetPort number is not compared with the Pods: the endpoints look healthy, and every connection to them is refused.',
    advice:
      'Set `targetPort` of the Service to the port that the process serves, or to the name of that container port: `kubectl -n {namespace} edit service {service}`.',
    messages: {
      all: 'Port {port}, the targetPort of Service {service}, is closed in {replicas}; other configured ports: {others}',
      some: partial(
        'Port {port}, the targetPort of Service {service}, is closed in {replicas} (other ports: {others}): {bad} of {total} new connections are refused',
      ),
    },
    preventsReadiness: true,
    follows: ['selector-covers-other-workload', 'target-port-name-missing', 'endpoint-of-no-pod'],
    references: ['/docs/concepts/services-networking/service/#field-spec-ports'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(isServiceBacked),
  run(callout, facts, find) {
    const pods = knownPods(callout, facts);
    const found = failingServers(callout, facts, (endpoint) => isWrongPort(endpoint, pods));
    const pod = podByName(found?.endpoints[0]?.pod, pods);
    const reference = callout.client.service;
    if (found === undefined || pod === undefined) return undefined;
    const others = otherPorts(pod, found.data.port).join(', ');
    const service = `${reference.namespace}/${reference.name}`;
    const set = configuredPorts(pod).map(([name, port]) => ({
      object: refOfPod(pod),
      field: `spec.containers ${name}`,
      value: String(port),
    }));
    return find(found.extent, { ...found.data, service, others }, [...found.evidence, ...set]);
  },
});
