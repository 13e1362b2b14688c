import { expect } from 'chai';
import type { Container } from '../../src/facts/objects/pod.ts';
import { electsLeader, leaseNamespaces } from '../../src/facts/workloads/leaders.ts';
import { pod } from '../support/snapshot.ts';

const running = (container: Partial<Container>) =>
  pod({ spec: { containers: [{ name: 'webhook', ...container }] } });

describe('leader election by the arguments of a Pod', () => {
  const cases: readonly (readonly [Partial<Container>, boolean, readonly string[]])[] = [
    [{}, false, []],
    [{ args: ['--leader-elect'] }, true, []],
    [{ args: ['--leader-elect', '--v=2'] }, true, []],
    [{ args: ['--enable-leader-election=true'] }, true, []],
    [{ args: ['--leader-elect=false'] }, false, []],
    [{ args: ['--leader-elect', 'false'] }, false, []],
    [{ args: ['--leader-election-namespace=kube-system'] }, true, ['kube-system']],
    [{ command: ['sh', '-c', 'run --leader-elect-resource-namespace platform'] }, true, ['platform']],
    [{ args: ['--leader-election-namespace=$(POD_NAMESPACE)'] }, true, []],
    [{ args: ['--lease', 'platform/policy'] }, true, ['platform']],
    [{ env: [{ name: 'ENABLE_LEADER_ELECTION', value: 'true' }] }, true, []],
    [{ env: [{ name: 'ENABLE_LEADER_ELECTION', value: '0' }] }, false, []],
    [{ args: ['--port=8443', '--release', 'shop/policy'] }, false, []],
  ];
  for (const [container, part, namespaces] of cases) {
    it(JSON.stringify(container), () => {
      expect(electsLeader(running(container))).to.equal(part);
      expect(leaseNamespaces(running(container))).to.deep.equal(namespaces);
    });
  }
});
