import { expect } from 'chai';
import type { Edit, Plan } from '../../../src/change/plan.ts';
import { joinedPlan } from '../../../src/workflows/fix/joined-plan.ts';

const workload = { kind: 'Deployment', namespace: 'shop', name: 'policy' };
const container = '/spec/template/spec/containers/0';
const edit = (path: string): Edit => ({ object: workload, operation: 'patch', path, after: {} });
const plan = (remedy: string, edits: readonly Edit[], more: Partial<Plan> = {}): Plan => ({
  remedy,
  summary: `${remedy} is done`,
  edits,
  fixes: ['validating/policy'],
  warnings: ['All its Pods are replaced, one after another.', `${remedy} warns.`],
  ...more,
});
const probe = plan('add-readiness-probe', [edit(`${container}/readinessProbe`)]);
const preStop = plan('add-pre-stop', [edit(`${container}/lifecycle`)]);

describe('several remedies as one change', () => {
  it('have all edits, and their common warning once', () => {
    expect(joinedPlan([probe, preStop])).to.deep.equal({
      remedy: 'add-readiness-probe,add-pre-stop',
      summary: 'add-readiness-probe is done. add-pre-stop is done',
      edits: [...probe.edits, ...preStop.edits],
      fixes: ['validating/policy'],
      warnings: [
        'All its Pods are replaced, one after another.',
        'add-readiness-probe warns.',
        'add-pre-stop warns.',
      ],
    });
    expect(joinedPlan([probe])).to.equal(probe);
  });

  it('name the same remedy for several webhooks once', () => {
    const [one, two, three] = [0, 1, 2].map((at) =>
      plan('inject-ca-bundle', [edit(`/webhooks/${at}/clientConfig/caBundle`)]),
    ) as [Plan, Plan, Plan];
    expect(joinedPlan([one, two, three])).to.deep.include({
      remedy: 'inject-ca-bundle',
      summary: 'inject-ca-bundle is done; the same for 2 other webhooks',
    });
  });

  it('are combined with a restart, which has its own field', () => {
    const restart = plan('restart-workload', [{ object: workload, operation: 'restart' }]);
    expect(joinedPlan([probe, restart]).edits).to.have.length(2);
  });

  it('make a change that several of them have once, after what precedes it in all of them', () => {
    const selector = (at: number): Edit => ({
      object: { kind: 'ValidatingWebhookConfiguration', name: 'policy' },
      operation: 'patch',
      path: `/webhooks/${at}/namespaceSelector`,
      after: {},
    });
    const restart: Edit = { object: workload, operation: 'restart', afterPrevious: true };
    const plans = [0, 1].map((at) => plan('exclude', [selector(at), restart]));
    expect(joinedPlan(plans).edits).to.deep.equal([selector(0), selector(1), restart]);
    const other = plan('other', [{ ...selector(1), after: { matchLabels: {} } }]);
    expect(() => joinedPlan([...plans, other])).to.throw(/change the same field/);
  });

  it('are refused if one contains the other, and not if a name only has the same prefix', () => {
    const rollback = plan('undo-rollout', [edit('/spec/template')]);
    expect(() => joinedPlan([probe, rollback])).to.throw(
      /^add-readiness-probe and undo-rollout change the same field of Deployment shop\/policy/,
    );
    const other = plan('other', [edit(`${container}/readinessProbes`)]);
    expect(joinedPlan([probe, other]).edits).to.have.length(2);
  });

  it('are printed together, and refused if only one is printed', () => {
    const printed = (remedy: string) => plan(remedy, [], { print: `${remedy}: 1\n` });
    expect(joinedPlan([printed('a'), printed('b')]).print).to.equal('a: 1\n---\nb: 1\n');
    expect(() => joinedPlan([printed('a'), probe])).to.throw(/cannot be one change/);
  });

  it('keep the confirmations: the flag, the typed word, and that one may not help', () => {
    const flag = { flag: '--i-accept-unchecked-admission', because: 'it is a policy engine' };
    const careful = plan('c', [], { needsFlag: flag, typed: 'policy', unsure: 'it is a guess' });
    const joined = joinedPlan([probe, careful]);
    expect(joined).to.deep.include({ needsFlag: flag, typed: 'policy', unsure: 'it is a guess' });
  });
});
