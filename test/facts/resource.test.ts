import { expect } from 'chai';
import { kindNamed } from '../../src/facts/resource.ts';

const kinds = ['Deployment', 'Service', 'CustomResourceDefinition', 'Namespace'] as const;

describe('a kind on the command line', () => {
  for (const [typed, kind] of [
    ['deploy', 'Deployment'],
    ['Deployments', 'Deployment'],
    ['deployment.apps', 'Deployment'],
    ['deployments.v1.apps', 'Deployment'],
    ['svc', 'Service'],
    ['crds', 'CustomResourceDefinition'],
    ['customresourcedefinition.apiextensions.k8s.io', 'CustomResourceDefinition'],
  ] as const)
    it(`is ${kind}: ${typed}`, () => expect(kindNamed(typed, kinds)).to.equal(kind));

  for (const typed of ['ns.example.com', 'svc.example.com', 'deployment.example.com', 'pods', ''])
    it(`is none of these: "${typed}"`, () => expect(kindNamed(typed, kinds)).to.equal(undefined));
});
