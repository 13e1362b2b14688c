import { expect } from 'chai';
import {
  isPersonOrTool,
  isUnclearManager,
  restoresDeclaredState,
  writesDeclaredState,
} from '../../src/products/declaring-tools.ts';

const [restores, declares, wrote] = [restoresDeclaredState, writesDeclaredState, isPersonOrTool] as const;

describe('field managers that are not operators', () => {
  for (const [manager, expected] of [
    ['argocd-controller', [true, true, true]],
    ['kapp-controller', [true, true, true]],
    ['fleet-agent', [true, true, true]],
    // OLM and Rancher renew certificates, too.
    ['olm', [false, true, false]],
    ['rancher', [true, true, false]],
    ['helm', [false, true, true]],
    ['HashiCorp', [false, true, true]],
    ['kubectl-client-side-apply', [false, true, true]],
    ['kubectl-edit', [false, false, true]],
    ['Mozilla', [false, false, true]],
    ['OpenAPI-Generator', [false, false, false]],
    ['cainjector', [false, false, false]],
    ['policy-operator', [false, false, false]],
  ] as const)
    it(manager, () =>
      expect([restores, declares, wrote].map((asked) => asked(manager))).to.deep.equal(expected),
    );

  it('knows the default names of client libraries', () => {
    expect(isUnclearManager('OpenAPI-Generator')).to.equal(true);
    expect(isUnclearManager('policy-operator')).to.equal(false);
  });
});
