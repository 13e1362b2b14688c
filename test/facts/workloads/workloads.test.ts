import { expect } from 'chai';
import { deploymentOfPodNames, podNameStem } from '../../../src/facts/workloads/workloads.ts';

describe('the Deployment of Pods by their names', () => {
  for (const [about, names, deployment] of [
    ['one Pod', ['policy-webhook-7d9c5b8f6d-x2x7k'], 'policy-webhook'],
    ['Pods of two revisions', ['policy-7d9c5b8f6d-x2x7k', 'policy-5c6d7f8b9-zzzzz'], 'policy'],
    ['Pods of two Deployments', ['policy-7d9c5b8f6d-x2x7k', 'other-7d9c5b8f6d-x2x7k'], undefined],
    ['a Pod of a StatefulSet beside one of a Deployment', ['policy-7d9c5b8f6d-x2x7k', 'policy-0'], undefined],
    ['a Pod of a StatefulSet', ['policy-0'], undefined],
    ['a Pod of a DaemonSet', ['policy-x2x7k'], undefined],
    ['a DaemonSet whose name ends in a word', ['policy-controller-x2x7k'], undefined],
    ['no Pods', [], undefined],
  ] as const) {
    it(`${about}: ${deployment ?? 'unknown'}`, () => {
      expect(deploymentOfPodNames(names)).to.equal(deployment);
    });
  }
});

describe('the common part of the names of Pods', () => {
  for (const [name, common] of [
    ['policy-7d9c5b8f6d-x2x7k', 'policy'],
    ['policy-reports-6d5f8c7b9-x2x2x', 'policy-reports'],
    ['policy-0', 'policy'],
    ['policy-db-0', 'policy-db'],
    ['policy-x2x7k', 'policy'],
    ['policy', 'policy'],
  ] as const) {
    it(`${name}: ${common}`, () => {
      expect(podNameStem(name)).to.equal(common);
    });
  }
});
