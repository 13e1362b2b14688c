import { expect } from 'chai';
import type { ClusterFinding } from '../../src/explain/explanation.ts';
import { renderExplanation } from '../../src/render/explain/render-explanation.ts';
import { advising } from '../support/report.ts';

const failing = (check: string): ClusterFinding => ({
  name: check,
  callout: `validating/${check}/${check}.example.com`,
  state: 'failing',
  because: [check],
});

/** The last lines for webhooks that fail now, each for another cause. */
function statesOf(count: number): readonly string[] {
  const [first, ...others] = Array.from({ length: count }, (_, at) => failing(`cause-${at}`));
  const text = renderExplanation(
    {
      apiVersion: 'kubectl-webhook/v1',
      kind: 'Explanation',
      takenAt: '2026-07-09T12:00:00Z',
      matches: [],
      ...(first === undefined ? {} : { cluster: first }),
      clusterMore: others,
    },
    { colour: false, unicode: true, width: 100 },
  );
  return text.split('\n\n')[0]?.split('\n').slice(1) ?? [];
}

describe('an explanation, in a cluster with several causes', () => {
  it('prints each of a few', () => {
    expect(statesOf(5)).to.have.length(10);
  });
  it('prints the fix of each of two', () => {
    const fixed = (check: string): ClusterFinding => ({
      ...failing(check),
      message: `${check} is wrong`,
      advice: advising(`Run \`kubectl get ${check}\`.`),
    });
    const text = renderExplanation(
      {
        apiVersion: 'kubectl-webhook/v1',
        kind: 'Explanation',
        takenAt: '2026-07-09T12:00:00Z',
        matches: [],
        cluster: fixed('one'),
        clusterMore: [fixed('two')],
      },
      { colour: false, unicode: true, width: 100 },
    );
    expect(text).to.match(/Manual fix {2}Run `kubectl get one`[\s\S]*Manual fix {2}Run `kubectl get two`/);
  });
  it('prints how many more there are', () => {
    expect(statesOf(7).slice(8)).to.deep.equal([
      '  ✖ failing  validating/cause-4/cause-4.example.com',
      '    cause-4',
      '  and 2 more (kubectl webhook doctor lists them)',
    ]);
  });
});
