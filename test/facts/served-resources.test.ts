import { expect } from 'chai';
import { resourceNamed, type ServedResource } from '../../src/facts/served-resources.ts';

const resource = (group: string, version: string, kind: string): ServedResource => ({
  group,
  version,
  resource: `${kind.toLowerCase()}s`,
  kind,
  singular: kind.toLowerCase(),
  namespaced: true,
  verbs: ['get'],
});
const resources = [
  resource('', 'v1', 'Service'),
  resource('serving.knative.dev', 'v1', 'Service'),
  resource('e.com', 'v1alpha1', 'Widget'),
  resource('e.com', 'v1', 'Widget'),
  resource('v1.e.com', 'v2', 'Gadget'),
];

describe('resourceNamed', () => {
  for (const [typed, found] of [
    ['service', '/v1'],
    ['Services', '/v1'],
    ['services.v1.', '/v1'],
    ['services.serving.knative.dev', 'serving.knative.dev/v1'],
    ['services.v1.serving.knative.dev', 'serving.knative.dev/v1'],
    ['widgets', 'e.com/v1alpha1'],
    ['widgets.e.com', 'e.com/v1alpha1'],
    ['widgets.v1.e.com', 'e.com/v1'],
    ['Widget.v1.e.com', 'e.com/v1'],
    ['widgets.v2.e.com', undefined],
    ['gadgets.v1.e.com', 'v1.e.com/v2'],
    ['widgets.v1', undefined],
  ] as const)
    it(`${typed}: ${found ?? 'not served'}`, () => {
      const one = resourceNamed(typed, { resources, stale: [] });
      expect(one && `${one.group}/${one.version}`).to.equal(found);
    });
});
