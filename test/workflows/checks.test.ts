import { expect } from 'chai';
import { type Check, defineCheck } from '../../src/checks/check.ts';
import { explainCheck, listChecks } from '../../src/workflows/checks.ts';

const cause = defineCheck({
  meta: {
    ...{ id: 'cause', link: 'routing', title: 'A title', severity: 'error', consequence: 'failing' },
    ...{ why: 'Why.', advice: 'Do.', aliases: ['old-name'], references: ['https://example.com/'] },
    messages: {
      plain: 'it is {so}',
      milder: { text: 'nearly', severity: 'warning', consequence: 'none' },
      some: { text: 'in part', consequence: 'degraded' },
    },
  },
  requires: ['services'],
  subjects: () => [],
  run: () => undefined,
}) as unknown as Check;
const effect = { ...cause, meta: { ...cause.meta, id: 'effect', aliases: [], follows: ['cause'] } };
const checks = [cause, effect];

describe('the catalogue as a document', () => {
  it('has a severity for every message, its own or the check’s', () => {
    expect(explainCheck('cause', checks)?.messages).to.deep.equal([
      { id: 'plain', text: 'it is {so}', severity: 'error', consequence: 'failing' },
      { id: 'milder', text: 'nearly', severity: 'warning' },
      { id: 'some', text: 'in part', severity: 'error', consequence: 'degraded' },
    ]);
  });

  it('links checks to their explanations, both ways', () => {
    const [first, second] = listChecks(checks).checks;
    expect(first).to.deep.include({ explains: ['effect'], explainedBy: [], reads: ['services'] });
    expect(second).to.deep.include({ explains: [], explainedBy: ['cause'] });
  });

  it('finds a check by its id and by a previous one, and no other', () => {
    expect(explainCheck('old-name', checks)?.id).to.equal('cause');
    expect(explainCheck('effect', checks)?.id).to.equal('effect');
    expect(explainCheck('caus', checks)).to.equal(undefined);
  });
});
